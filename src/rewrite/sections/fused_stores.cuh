
// How one part reaches a peer, by all threads of a block.
template <Issue kIssue>
__device__ void send_part(const LsaBy<kIssue>& path, const Fusing& fusing, const Message& message, int part) {
  __shared__ uint64_t place;
  Message one = part_of(message, part);
  if (thread_in_block() == 0) place = path.await_announcement(one);
  __syncthreads();
  copy_runs(peer_pointer(fusing.here, place, message.peer),
            local_pointer(fusing.here, place_at(message.window, message.offset)),
            runs_of(fusing, part, message.bytes));
  __syncthreads();
  if (thread_in_block() != 0) return;
  __threadfence_system();
  typename LsaBy<kIssue>::Count(path.slot_of(message.peer, fusing.here.comm.rank, one.number)->delivered)
      .fetch_add(kBlocks, cuda::memory_order_release);
}
template <Issue kIssue>
__device__ void end_path(const LsaBy<kIssue>&) {}
