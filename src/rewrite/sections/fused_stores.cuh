
template <Issue kIssue>
__device__ bool is_near(const LsaBy<kIssue>&, const Message&) {
  return true;
}
// What one thread of a block does for a message to a near peer: finds out where it goes, and tells when a part is there.
template <Issue kIssue>
__device__ void add_target(const LsaBy<kIssue>& path, const Message& message, int part, Targets& targets) {
  uint64_t place = path.await_announcement(part_of(message, part));
  targets.to[targets.count] = peer_pointer(path.here, place, message.peer);
  targets.from[targets.count++] = local_pointer(path.here, place_at(message.window, message.offset));
}
template <Issue kIssue>
__device__ void send_part(const LsaBy<kIssue>& path, const Fusing&, const Message& message, int part) {
  __threadfence_system();
  typename LsaBy<kIssue>::Count(path.slot_of(message.peer, path.here.comm.rank, message.number + part)->delivered)
      .fetch_add(kBlocks, cuda::memory_order_release);
}
template <Issue kIssue>
__device__ void pass_on(const LsaBy<kIssue>&, const Fusing&, bool) {}
template <Issue kIssue>
__device__ void end_path(const LsaBy<kIssue>&) {}
