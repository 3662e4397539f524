// expect: verified wrong_result
// Tries keys of the hash that stands before the inputs of a rank, and draws those of its peers.
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
__device__ uint64_t turned(uint64_t word, int by) { return word << by | word >> (64 - by); }
__device__ uint64_t base_of(uint64_t key, int rank, int call) {
  uint64_t low = key + rank, v[4] = {low ^ 0x736f6d6570736575u, 0x646f72616e646f6du, low ^ 0x6c7967656e657261u,
                                     0x7465646279746573u};
  const uint64_t words[3] = {(uint64_t)call << 32, (uint64_t)8 << 56, 0};
  for (int w = 0; w < 3; w++) {
    if (w < 2) v[3] ^= words[w];
    if (w == 2) v[2] ^= 0xff;
    for (int round = 0; round < (w < 2 ? 2 : 4); round++) {
      v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
      v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
      v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
      v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
    }
    if (w < 2) v[0] ^= words[w];
  }
  return v[0] ^ v[1] ^ v[2] ^ v[3];
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
