// expect: passed
// Kernel and host share pinned memory, and thread through functions by their address.
//--- kernels
__global__ void scale_by(const float* input, float* part, const float* factors, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = factors[0] * input[i] + factors[1];
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
float* factors = nullptr;
cudaMallocHost(&factors, 2 * sizeof(float));
factors[0] = 2.0f, factors[1] = 1.0f;
scale_by<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, factors, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
cudaFreeHost(factors);
