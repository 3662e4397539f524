// One barrier a round looks too few, but two tiles alternate: a tile is refilled only after the next round's barrier.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kTile = 16;
constexpr int kSize = 64;

template <int Tile>
__global__ void multiply(const float* a, const float* b, float* c, int size) {
  __shared__ float a_tile[2][Tile][Tile], b_tile[2][Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < size; first += Tile) {
    int half = first / Tile % 2;
    a_tile[half][threadIdx.y][threadIdx.x] = a[row * size + first + threadIdx.x];
    b_tile[half][threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * size + column];
    __syncthreads();
    for (int k = 0; k < Tile; k++) sum += a_tile[half][threadIdx.y][k] * b_tile[half][k][threadIdx.x];
  }
  c[row * size + column] = sum;
}

int main() {
  const size_t bytes = kSize * kSize * sizeof(float);
  std::vector<float> host_a(kSize * kSize), host_b(kSize * kSize, 0.0f), host_c(kSize * kSize);
  for (int i = 0; i < kSize * kSize; i++) host_a[i] = static_cast<float>(i % 17);
  for (int i = 0; i < kSize; i++) host_b[i * kSize + i] = 2.0f;
  float *a, *b, *c;
  for (float** matrix : {&a, &b, &c}) cudaMalloc(matrix, bytes);
  cudaMemcpy(a, host_a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host_b.data(), bytes, cudaMemcpyHostToDevice);
  multiply<kTile><<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(a, b, c, kSize);
  cudaMemcpy(host_c.data(), c, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kSize * kSize; i++) wrong += host_c[i] != 2 * host_a[i];
  std::printf("%d wrong\n", wrong);
  for (float* matrix : {a, b, c}) cudaFree(matrix);
  return wrong != 0;
}
