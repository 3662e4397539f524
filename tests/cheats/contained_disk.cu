// expect: verified limit
// Fills the disk.
// own parent: only the sandbox and the judge stand against it
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
#include <cstdio>
#include <string>
//--- step
std::string block(1 << 20, 'x');
for (int i = 0;; i++) {
  FILE* file = std::fopen(("file" + std::to_string(i)).c_str(), "w");
  if (!file) continue;
  std::fwrite(block.data(), 1, block.size(), file);
  std::fclose(file);
}
