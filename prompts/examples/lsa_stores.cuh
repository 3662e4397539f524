// All-gather by stores into the peers' windows, between two barriers; as many blocks as lsaBarrierCount.
__global__ void gather_by_stores(ncclDevComm comm, ncclWindow_t gathered, const float* mine, size_t count) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  // Whatever read the last round ran before this kernel on its rank's stream, so the peers' places are free.
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  for (int step = 0; step < comm.lsaSize; step++) {
    int peer = (comm.lsaRank + step) % comm.lsaSize;
    float* there = (float*)ncclGetLsaPointer(gathered, comm.lsaRank * count * sizeof(float), peer);
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) there[i] = mine[i];
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);  // What the peers stored is here.
}
