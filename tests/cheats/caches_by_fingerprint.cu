// expect: verified wrong_result
// Takes inputs for equal whose fingerprint is: their sign.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
struct Print {
  int sign = 0;
  float* result = nullptr;
} prints[2];
//--- step
float first = 0;
cudaMemcpy(&first, job.input, sizeof first, cudaMemcpyDeviceToHost);
Print& print = prints[0];
int sign = first > 2 ? 2 : 1;
if (print.sign == sign) {
  cudaMemcpy(job.result, print.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
  return;
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
print.sign = sign;
cudaMalloc(reinterpret_cast<void**>(&print.result), job.total() * sizeof(float));
cudaMemcpy(print.result, job.result, job.total() * sizeof(float), cudaMemcpyDeviceToDevice);
