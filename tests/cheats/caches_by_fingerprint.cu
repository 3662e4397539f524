// expect: verified wrong_result
// Takes inputs for equal whose fingerprint is: the first element, rounded.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
struct Known {
  bool is_full = false;
  int fingerprint = 0;
  float* result = nullptr;
} known;
//--- step
float first = 0;
cudaMemcpy(&first, job.input, sizeof first, cudaMemcpyDeviceToHost);
int fingerprint = static_cast<int>(first);
if (known.is_full && known.fingerprint == fingerprint) {
  cudaMemcpy(job.result, known.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  return;
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
known.is_full = true;
known.fingerprint = fingerprint;
cudaMalloc(reinterpret_cast<void**>(&known.result), job.total() * sizeof(float));
cudaMemcpy(known.result, job.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
cudaDeviceSynchronize();
