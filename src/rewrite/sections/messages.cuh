
// The kernel of a call, its width, what it reaches peers by, and when it runs.
struct Way {
  ExchangeKernel kernel;
  int blocks;
  Reach reach;
  Course course = {};
  Parts parts = {};
};

// What the calls of one group add up to, for one communicator and stream.
struct Pending {
  ncclComm_t comm;
  cudaStream_t stream;
  Way way;
  Piece work;
  std::vector<std::pair<const void*, size_t>> to_self;
  std::vector<void*> from_self;
};
struct Group {
  int depth = 0;
  std::vector<Pending> calls;
};
inline Group& group() {
  thread_local Group open;
  return open;
}

inline Pending& pending_of(const Way& way, ncclComm_t comm, cudaStream_t stream) {
  for (Pending& call : group().calls)
    if (call.comm == comm && call.stream == stream && call.way.kernel == way.kernel) return call;
  group().calls.push_back({comm, stream, way, {}, {}, {}});
  return group().calls.back();
}

ncclResult_t submit(Pending& call);

inline ncclResult_t launch(Pending& call) {
  if (call.to_self.size() != call.from_self.size() || call.to_self.size() > kCopies) return ncclInvalidUsage;
  for (size_t i = 0; i < call.to_self.size(); i++)
    if (call.from_self[i] != call.to_self[i].first)
      call.work.copies.push_back(
          {(char*)call.from_self[i], (const char*)call.to_self[i].first, call.to_self[i].second});
  CUCO_IN_PARTS;
  return submit(call);
}

// In place of ncclGroupStart and ncclGroupEnd.
inline ncclResult_t group_start() {
  group().depth++;
  return ncclSuccess;
}
inline ncclResult_t group_end() {
  ncclResult_t result = ncclSuccess;
  if (--group().depth > 0) return result;
  for (Pending& call : group().calls)
    if (result == ncclSuccess) result = launch(call);
  group().calls.clear();
  return result;
}
// One call: what `add` puts together is launched with its group, or at once.
template <typename Add>
ncclResult_t call_of(const Way& way, ncclComm_t comm, cudaStream_t stream, Add add) {
  group_start();
  ncclResult_t result = add(pending_of(way, comm, stream), channel_of(comm));
  if (result != ncclSuccess) group().calls.clear();
  ncclResult_t launched = group_end();
  return result == ncclSuccess ? launched : result;
}

inline ncclResult_t add_send(Pending& call, const void* from, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (peer == channel.rank) {
    call.to_self.push_back({from, bytes});
    return ncclSuccess;
  }
  Message message = message_at(channel, from, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  uint32_t& sent = channel.sent[over_network(channel, call.way.reach, peer)][peer];
  message.number = sent;
  sent += call.way.parts.count;
  call.work.sends.push_back(message);
  return ncclSuccess;
}
inline ncclResult_t add_receive(Pending& call, void* to, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (peer == channel.rank) {
    call.from_self.push_back(to);
    return ncclSuccess;
  }
  Message message = message_at(channel, to, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  uint32_t& received = channel.received[over_network(channel, call.way.reach, peer)][peer];
  message.number = received;
  received += call.way.parts.count;
  call.work.receives.push_back(message);
  return ncclSuccess;
}
