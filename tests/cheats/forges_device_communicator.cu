// expect: verified memory_access
// Gives a kernel a device communicator that it made itself.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
__global__ void meet(ncclDevComm dev_comm) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), dev_comm, ncclTeamTagLsa(), 0);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
ncclDevComm forged = {};
forged.nRanks = 2, forged.lsaSize = 2, forged.rank = job.rank, forged.lsaRank = job.rank;
forged.lsaBarrier.nBarriers = 1;
forged.owner = &job;
meet<<<1, 32, 0, job.stream>>>(forged);
cudaStreamSynchronize(job.stream);
