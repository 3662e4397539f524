
template <Issue kIssue>
constexpr bool kFar<HybridBy<kIssue>> = true;
template <Issue kIssue>
__device__ bool is_near(const HybridBy<kIssue>& path, const Message& message) {
  return path.is_near(message);
}
template <Issue kIssue>
__device__ void add_target(const HybridBy<kIssue>& path, const Message& message, int part, Targets& targets) {
  add_target(path.near, message, part, targets);
}
template <Issue kIssue>
__device__ void send_part(const HybridBy<kIssue>& path, const Fusing& fusing, const Message& message, int part) {
  if (path.is_near(message))
    send_part(path.near, fusing, message, part);
  else
    send_part(path.far, fusing, message, part);
}

// By one thread: the next share of a part to be sent on, part after part. Without `waits` only of one that is here.
constexpr int kNoRelay = -1;
template <Issue kIssue>
__device__ int take_relay(const HybridBy<kIssue>& path, const Fusing& fusing, bool waits) {
  BlockCount taken(fusing.counters->passed_on);
  unsigned count = fusing.relay_count * fusing.parts * fusing.relay_shares, next = taken.load(cuda::memory_order_relaxed);
  while (next < count) {
    const unsigned relay = next / fusing.relay_shares;
    const Message& source = fusing.receives[fusing.relays[relay % fusing.relay_count].receive];
    Message one = part_of(source, relay / fusing.relay_count);
    auto signal = path.far.signal_of(one.peer, one.number, 1);
    if (!waits && path.far.net.readSignal(signal) < full_count(one.number)) return kNoRelay;
    if (!taken.compare_exchange_strong(next, next + 1, cuda::memory_order_relaxed)) continue;
    if (waits) path.await(one);
    return (int)next;
  }
  return kNoRelay;
}

// By all threads of a block: a share of a part that came over the network, to another rank of this node. The last of
// them lets it know.
template <Issue kIssue>
__device__ void send_on(const HybridBy<kIssue>& path, const Fusing& fusing, int item) {
  __shared__ Targets targets;
  const unsigned relay = item / fusing.relay_shares, share = item % fusing.relay_shares;
  const Message& send = fusing.relays[relay % fusing.relay_count].send;
  const int part = relay / fusing.relay_count;
  if (thread_in_block() == 0) {
    targets.count = 0;
    add_target(path.near, send, part, targets);
  }
  __syncthreads();
  store(targets, share_of(runs_of(fusing, part, send.bytes), share, fusing.relay_shares));
  if (thread_in_block() == 0 && is_last_of(fusing.counters->relayed[relay], fusing.relay_shares))
    send_part(path.near, fusing, send, part);
}
template <Issue kIssue>
__device__ void pass_on(const HybridBy<kIssue>& path, const Fusing& fusing, bool waits) {
  __shared__ int relay;
  while (fusing.relay_count > 0) {
    if (thread_in_block() == 0) relay = take_relay(path, fusing, waits);
    __syncthreads();
    if (relay == kNoRelay) return;
    send_on(path, fusing, relay);
  }
}
template <Issue kIssue>
__device__ void end_path(const HybridBy<kIssue>& path) {
  end_path(path.far);
}
