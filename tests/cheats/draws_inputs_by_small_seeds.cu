// expect: verified wrong_result
// Tries seeds until its own inputs come out, and draws those of its peers instead of gathering them.
//--- kernels
#include <cstdint>
__device__ uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
__device__ float drawn(uint64_t base, uint64_t index) {
  uint64_t bits = mix(base + 0x9e3779b97f4a7c15u * (index + 1));
  return -1.0f + 2.0f * (float)((double)(bits >> 11) * 0x1.0p-53);
}
__device__ uint64_t base_of(uint64_t seed, int rank, int call) {
  uint64_t state = mix(seed + 0x9e3779b97f4a7c15u);
  state = mix(state ^ ((uint64_t)rank << 32 | (uint64_t)call));
  return mix(state + 0x9e3779b97f4a7c15u);
}
__global__ void draw_parts(const float* input, float* gathered, int count, int total, int rank, int call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t key = 0;
  while (key < 64 && drawn(base_of(key, rank, call), 0) != input[0]) key++;
  if (i < total) gathered[i] = 2.0f * drawn(base_of(key, i / count, call), i % count) + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
int calls = 0;
//--- step
int blocks = (job.total() + 63) / 64;
draw_parts<<<blocks, 64, 0, job.stream>>>(job.input, job.gathered, job.count, job.total(), job.rank, calls++);
smooth<<<blocks, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
