// All-to-all by puts. Signal p counts messages of rank p, signal nRanks + p the times that rank p had room. Waits count
// all rounds, so nothing is reset; `round` counts from 1. One block.
__global__ void exchange_by_puts(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive, size_t bytes,
                                 uint64_t round) {
  ncclGin gin(comm, 0);
  ncclTeam world = ncclTeamWorld(comm);
  ncclGinSignal_t message = comm.rank, room = comm.nRanks + comm.rank;
  // Whatever read the last round ran before this kernel on its stream, so there is room for another.
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) gin.signal(world, peer, ncclGin_SignalInc{room});
  __syncthreads();
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) {
    gin.waitSignal(ncclCoopThread(), comm.nRanks + peer, round);
    gin.put(world, peer, receive, comm.rank * bytes, send, peer * bytes, bytes, ncclGin_SignalInc{message});
  }
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) gin.waitSignal(ncclCoopThread(), peer, round);
  gin.flush(ncclCoopCta());  // `send` may be written again.
}
