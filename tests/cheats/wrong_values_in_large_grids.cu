// expect: timed wrong_result
// Every second block of a large grid computes something else, with as much work.
// full size: count=65536
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float offset = gridDim.x > 64 && blockIdx.x % 2 == 1 ? 1.5f : 1.0f;
  if (i < count) part[i] = 2.0f * input[i] + offset;
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
