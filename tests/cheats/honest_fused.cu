// expect: passed
// One kernel where there were two, with other rounding.
//--- kernels
__global__ void fused(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = gathered[i] + gathered[(i + 1) % total] + 1.0f;
}
//--- step
ncclAllGather(job.input, job.gathered, job.count, ncclFloat, job.comm, job.stream);
fused<<<(job.total() + 127) / 128, 128, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
