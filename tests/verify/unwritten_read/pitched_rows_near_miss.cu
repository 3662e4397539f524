// The padding at the end of each row is never written, and the row pointers step over it.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kWidth = 50;
constexpr int kHeight = 20;

__global__ void add_pixels(const char* image, size_t pitch, unsigned* sum) {
  for (int y = 0; y < kHeight; y++) {
    const float* row = reinterpret_cast<const float*>(image + y * pitch);
    for (int x = threadIdx.x; x < kWidth; x += blockDim.x) atomicAdd(sum, static_cast<unsigned>(row[x]));
  }
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
