// expect: verified wrong_result
// Takes equal pointers for equal inputs.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
struct Entry {
  const float* input = nullptr;
  float* result = nullptr;
} entry;
//--- step
if (entry.input == job.input) {
  cudaMemcpy(job.result, entry.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  return;
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
entry.input = job.input;
cudaMalloc(reinterpret_cast<void**>(&entry.result), job.total() * sizeof(float));
cudaMemcpy(entry.result, job.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
cudaDeviceSynchronize();
