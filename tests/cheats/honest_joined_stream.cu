// expect: passed
// A second stream that is waited for.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
cudaStream_t second = nullptr;
cudaEvent_t scaled = nullptr;
//--- step
if (!second) {
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming);
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaEventRecord(scaled, job.stream);
cudaStreamWaitEvent(second, scaled, 0);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, second);
smooth<<<(job.total() + 63) / 64, 64, 0, second>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(second);
