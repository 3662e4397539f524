
// What blocks do for a part of a message to a near peer: all its threads store, one tells that everything is there.
template <Issue kIssue>
__device__ char* target_of(const LsaBy<kIssue>& path, const FedPart& part) {
  __shared__ char* to;
  if (thread_in_block() == 0)
    to = peer_pointer(path.here, path.await_announcement(part.message), part.message.peer);
  __syncthreads();
  return to;
}
template <Issue kIssue>
__device__ void store_own(const LsaBy<kIssue>& path, const FedPart& part, const SentTiles& tiles, const uint3& block) {
  copy_within(target_of(path, part), part, tiles, block);
  __syncthreads();
}
template <Issue kIssue>
__device__ void send_fed(const LsaBy<kIssue>& path, const FedPart& part) {
  if (!part.stored) copy_runs(target_of(path, part), part.begin, {0, part.message.bytes, part.message.bytes, 1});
  __syncthreads();
  if (thread_in_block() != 0) return;
  __threadfence_system();
  typename LsaBy<kIssue>::Count(path.slot_of(part.message.peer, path.here.comm.rank, part.message.number)->delivered)
      .fetch_add(kBlocks, cuda::memory_order_release);
}
template <Issue kIssue>
__device__ void flush_sent(const LsaBy<kIssue>&) {}
