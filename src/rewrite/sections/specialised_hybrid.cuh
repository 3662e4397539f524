
// By one thread: waits until the part is written, or until there is something to send on, if that is sooner.
template <Issue kIssue>
__device__ int relay_before(const HybridBy<kIssue>& path, const Specialised& fusing, int part) {
  int relay = kNoRelay;
  while (relay == kNoRelay && !is_written(fusing, part)) relay = take_relay(path, fusing, false);
  return relay;
}
template <Issue kIssue>
__device__ void await_part(const HybridBy<kIssue>& path, const Specialised& fusing, int part) {
  __shared__ int relay;
  while (true) {
    if (thread_in_block() == 0) relay = relay_before(path, fusing, part);
    __syncthreads();
    if (relay == kNoRelay) return;
    send_on(path, fusing, relay);
  }
}
