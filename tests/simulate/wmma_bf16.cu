// A 16 x 16 tile product on the tensor cores' interface.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cuda_bf16.h>
#include <mma.h>

#include <cstdio>

using namespace nvcuda;

__global__ void multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> tile_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> tile_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(tile_a, a + i, k);
    wmma::load_matrix_sync(tile_b, b + i, k);
    wmma::mma_sync(sum, tile_a, tile_b, sum);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2.0f;
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main() {
  const int k = 32;
  __nv_bfloat16 *a, *b;
  float* c;
  cudaMallocManaged(&a, 16 * k * sizeof(__nv_bfloat16));
  cudaMallocManaged(&b, 16 * k * sizeof(__nv_bfloat16));
  cudaMallocManaged(&c, 16 * 16 * sizeof(float));
  for (int i = 0; i < 16 * k; i++) {
    a[i] = __float2bfloat16(static_cast<float>(i % 7));
    b[i] = __float2bfloat16(static_cast<float>(i % 5));
  }
  multiply<<<1, 32>>>(a, b, c, k);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 16 * 16; i++) {
    float want = 0;
    for (int j = 0; j < k; j++) want += static_cast<float>((i / 16 * k + j) % 7 * ((i % 16 * k + j) % 5));
    wrong += c[i] != 2 * want;
  }
  std::printf("%d wrong\n", wrong);
  return wrong;
}
