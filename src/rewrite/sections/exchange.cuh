
// What one call moves for this rank, or a phase of it. Receivers announce before anyone waits, so no order of ranks can
// block.
template <typename Path>
__device__ void exchange(const Endpoint& here, const Exchange& work) {
  Path path(here);
  CUCO_COUNT_BEGUN;
  int receive_count = blockIdx.x == 0 ? work.receive_count : 0;
  if (work.phases & kAnnounces)
    for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.announce(work.receives[i]);
  for (int i = 0; i < work.copy_count; i++) {
    Part part = part_of_block(work.copies[i].bytes, 16);
    copy_bytes(work.copies[i].to + part.begin, work.copies[i].from + part.begin, part.end - part.begin, blockDim.x);
  }
  for (int i = 0; i < work.send_count; i++) path.send(work.sends[i]);
  if (work.phases & kAwaits)
    for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.await(work.receives[i]);
  if (work.phases & kFlushes) path.finish();
}
