// The rows of a pitched image are read as if they were packed, so the sum takes in padding that was never written.
// ranks: 1
// expect-finding: unwritten_read
#include <cstdio>
#include <vector>

constexpr int kWidth = 50;
constexpr int kHeight = 20;

__global__ void add_pixels(const char* image, size_t pitch, unsigned* sum) {
  const float* pixels = reinterpret_cast<const float*>(image);
  for (size_t i = threadIdx.x; i < kHeight * pitch / sizeof(float); i += blockDim.x)
    atomicAdd(sum, static_cast<unsigned>(pixels[i]));  // FAULT
}

int main() {
  char* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, kWidth * sizeof(float), kHeight);
  std::vector<float> pixels(kWidth * kHeight, 2.0f);
  size_t row_bytes = kWidth * sizeof(float);
  cudaMemcpy2D(image, pitch, pixels.data(), row_bytes, row_bytes, kHeight, cudaMemcpyHostToDevice);
  unsigned *sum, result;
  cudaMalloc(&sum, sizeof(unsigned));
  cudaMemset(sum, 0, sizeof(unsigned));
  add_pixels<<<1, 64>>>(image, pitch, sum);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%u\n", result);
  cudaFree(sum);
  cudaFree(image);
  return result != 2 * kWidth * kHeight;
}
