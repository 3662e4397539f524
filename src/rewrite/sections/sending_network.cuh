
// Parts to other nodes are puts, whose signal is the count. By one thread, which has seen what the blocks wrote; the NIC
// has to see it too.
template <Issue kIssue>
__device__ void store_own(const GinBy<kIssue>&, const FedPart&, const SentTiles&, const uint3&) {}
template <Issue kIssue>
__device__ void send_fed(const GinBy<kIssue>& path, const FedPart& part) {
  if (thread_in_block() != 0) return;
  const Message& message = part.message;
  uint64_t place = path.await_announcement(message);
  __threadfence_system();
  path.net.put(path.world, message.peer, window_of(path.here, place), offset_of(place),
               path.here.windows[message.window], message.offset, message.bytes,
               SignalAdd{path.signal_of(path.here.comm.rank, message.number, 1), (uint64_t)kBlocks});
}
template <Issue kIssue>
__device__ void flush_sent(const GinBy<kIssue>& path) {
  path.net.flush(ncclCoopThread());
}
