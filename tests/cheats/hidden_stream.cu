// expect: verified leaking_work
// The dear part runs on a stream that nobody waits for.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
cudaStream_t hidden = nullptr;
//--- step
if (!hidden) cudaStreamCreateWithFlags(&hidden, cudaStreamNonBlocking);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaStreamSynchronize(job.stream);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, hidden);
smooth<<<(job.total() + 63) / 64, 64, 0, hidden>>>(job.gathered, job.result, job.total());
