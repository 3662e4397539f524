
// With a near peer: it is told where this rank's elements of a part are when they are written, and tells when it is
// done with them. What one thread does, as everywhere below.
template <Issue kIssue>
__device__ void open_to(const LsaBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  if (all.near_results) path.announce(message_with(peer, peer.received + all.parts, all.work.output));
}
template <Issue kIssue>
__device__ void offer(const LsaBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  path.announce(message_with(peer, peer.received + part, all.work.input));
}
// Whether the peer's elements of a part can be had without waiting.
template <Issue kIssue>
__device__ bool has_come(const LsaBy<kIssue>& path, const Reducing&, const Peer& peer, int part) {
  using Path = LsaBy<kIssue>;
  Message one = message_with(peer, peer.sent + part);
  typename Path::Count announced(path.slot_of(path.here.comm.rank, peer.rank, one.number)->announced);
  return announced.load(cuda::memory_order_acquire) >> Path::kTagShift == Path::tag_of(one);
}
// Where the peer's first element would be; waits for its part.
template <Issue kIssue>
__device__ char* elements_from(const LsaBy<kIssue>& path, const Reducing&, const Peer& peer, int part) {
  return peer_pointer(path.here, path.await_announcement(message_with(peer, peer.sent + part)), peer.rank);
}
// Where the peer's first result goes.
template <Issue kIssue>
__device__ char* results_for(const LsaBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  return peer_pointer(path.here, path.await_announcement(message_with(peer, peer.sent + all.parts)), peer.rank);
}
template <Issue kIssue>
__device__ void deliver_all(const LsaBy<kIssue>& path, const Peer& peer, uint32_t number) {
  __threadfence_system();
  typename LsaBy<kIssue>::Count(path.slot_of(peer.rank, path.here.comm.rank, number)->delivered)
      .fetch_add(kBlocks, cuda::memory_order_release);
}
// A part that this rank has reduced, with its results where the peer wants them.
template <Issue kIssue>
__device__ void give_back(const LsaBy<kIssue>& path, const Reducing&, const Peer& peer, int part) {
  deliver_all(path, peer, peer.sent + part);
}
template <Issue kIssue>
__device__ void close_to(const LsaBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  if (all.near_results) deliver_all(path, peer, peer.sent + all.parts);
}
template <Issue kIssue>
__device__ void await_part(const LsaBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  if (is_reducer(all, peer.rank)) path.await(message_with(peer, peer.received + part));
  if (all.near_results && part == 0) path.await(message_with(peer, peer.received + all.parts));
}
template <Issue kIssue>
__device__ void close_path(const LsaBy<kIssue>&) {}
