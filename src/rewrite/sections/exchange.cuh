
// Everything that one call moves for this rank. Receivers announce before anyone waits, so no order of ranks can block.
template <typename Path>
__device__ void exchange(const Endpoint& here, const Exchange& work) {
  Path path(here);
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < work.receive_count; i += blockDim.x) path.announce(work.receives[i]);
  for (int i = 0; i < work.copy_count; i++) {
    Part part = part_of_block(work.copies[i].bytes, 16);
    copy_bytes(work.copies[i].to + part.begin, work.copies[i].from + part.begin, part.end - part.begin, blockDim.x);
  }
  for (int i = 0; i < work.send_count; i++) path.send(work.sends[i]);
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < work.receive_count; i += blockDim.x) path.await(work.receives[i]);
  path.finish();
}
