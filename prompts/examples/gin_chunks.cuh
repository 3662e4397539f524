// A producer that puts each chunk to the next rank when it is computed, and a consumer that waits for one chunk at a
// time. Signal c counts arrivals of chunk c, signal `chunks` the times that the next rank had room. One block each.
__global__ void square_and_put(ncclDevComm comm, ncclWindow_t squares, ncclWindow_t inbox, const float* x, size_t chunk,
                               int chunks, uint64_t round) {
  ncclGin gin(comm, 0);
  ncclTeam world = ncclTeamWorld(comm);
  int next = (comm.rank + 1) % comm.nRanks, before = (comm.rank + comm.nRanks - 1) % comm.nRanks;
  float* own = (float*)ncclGetLocalPointer(squares, 0);
  gin.signal(world, before, ncclGin_SignalInc{(ncclGinSignal_t)chunks}, ncclCoopCta());
  for (int c = 0; c < chunks; c++) {
    for (size_t i = c * chunk + threadIdx.x; i < (c + 1) * chunk; i += blockDim.x) own[i] = x[i] * x[i];
    __syncthreads();
    if (c == 0) gin.waitSignal(ncclCoopCta(), chunks, round);
    gin.put(world, next, inbox, c * chunk * sizeof(float), squares, c * chunk * sizeof(float), chunk * sizeof(float),
            ncclGin_SignalInc{(ncclGinSignal_t)c}, ncclGin_None{}, ncclCoopCta());
  }
  gin.flush(ncclCoopCta());
}
__global__ void fold(ncclDevComm comm, ncclWindow_t inbox, float* sum, size_t chunk, int chunks, uint64_t round) {
  ncclGin gin(comm, 0);
  const float* here = (const float*)ncclGetLocalPointer(inbox, 0);
  for (int c = 0; c < chunks; c++) {
    gin.waitSignal(ncclCoopCta(), c, round);
    for (size_t i = c * chunk + threadIdx.x; i < (c + 1) * chunk; i += blockDim.x) sum[i] += here[i];
  }
}
