// expect: verified wrong_result
// Has its result ready before main begins.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
struct Ready {
  float values[512];
  Ready() {
    for (float& value : values) value = 1;
  }
} ready;
//--- step
cudaMemcpy(job.result, ready.values, job.total() * sizeof(float), cudaMemcpyHostToDevice);
