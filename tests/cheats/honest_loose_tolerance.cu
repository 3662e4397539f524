// expect: passed
// Rounds otherwise than the baseline, and keeps all bits on the wire.
//--- in both, instead of cuco::within(1e-5, 1e-5)
cuco::within(1e-2, 1e-2)
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.3f * gathered[(i + 1) % total] + (0.5f * gathered[i] + 0.2f * gathered[(i + 1) % total]);
}
