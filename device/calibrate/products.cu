// Products of matrices as people write them, without tricks. What such kernels lose to things that the virtual clock
// does not count is seen by running this program there too and holding the times against each other.
#include <cuda_bf16.h>
#include <mma.h>

#include "measure.h"

using namespace calibrate;
using bf16 = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

constexpr int kSide = 2048;  // Of the matrices.

// A slice of kRows x kColumns of a matrix with kSide columns, 16 bytes at a time.
template <int kRows, int kColumns, int kPitch, typename T>
__device__ void load_slice(const T* from, T (&to)[kRows][kPitch]) {
  constexpr int kVector = 16 / sizeof(T);
  for (int i = threadIdx.x * kVector; i < kRows * kColumns; i += blockDim.x * kVector) {
    int row = i / kColumns, column = i % kColumns;
    *reinterpret_cast<uint4*>(&to[row][column]) =
        *reinterpret_cast<const uint4*>(&from[static_cast<size_t>(row) * kSide + column]);
  }
}

// A block has a tile of kTile x kTile, each of its 256 threads kShare x kShare elements of it, a stride apart.
template <int kTile, int kShare>
__global__ void multiply_fp32(const float* a, const float* b, float* c) {
  constexpr int kDepth = 16, kStride = kTile / kShare;
  __shared__ __align__(16) float a_slice[kTile][kDepth + 4];
  __shared__ __align__(16) float b_slice[kDepth][kTile];
  const int row = threadIdx.x / kStride, column = threadIdx.x % kStride;
  a += static_cast<size_t>(blockIdx.y) * kTile * kSide;
  b += blockIdx.x * kTile;
  c += static_cast<size_t>(blockIdx.y) * kTile * kSide + blockIdx.x * kTile;
  float sums[kShare][kShare] = {};
  for (int depth = 0; depth < kSide; depth += kDepth) {
    load_slice<kTile, kDepth>(a + depth, a_slice);
    load_slice<kDepth, kTile>(b + static_cast<size_t>(depth) * kSide, b_slice);
    __syncthreads();
    for (int d = 0; d < kDepth; d++)
      for (int i = 0; i < kShare; i++)
        for (int j = 0; j < kShare; j++) sums[i][j] += a_slice[row + i * kStride][d] * b_slice[d][column + j * kStride];
    __syncthreads();
  }
  for (int i = 0; i < kShare; i++)
    for (int j = 0; j < kShare; j++)
      c[static_cast<size_t>(row + i * kStride) * kSide + column + j * kStride] = sums[i][j];
}

// A block of four warps has a tile of kTile x kTile, each warp a quarter of it in fragments of 16 x 16.
template <int kTile>
__global__ void multiply_bf16(const bf16* a, const bf16* b, float* c) {
  constexpr int kDepth = 32, kShare = kTile / 32, kPad = 8;
  __shared__ __align__(32) bf16 a_slice[kTile][kDepth + kPad];
  __shared__ __align__(32) bf16 b_slice[kDepth][kTile + kPad];
  const int row = threadIdx.x / 64 * (kTile / 2), column = threadIdx.x / 32 % 2 * (kTile / 2);
  a += static_cast<size_t>(blockIdx.y) * kTile * kSide;
  b += blockIdx.x * kTile;
  c += static_cast<size_t>(blockIdx.y * kTile + row) * kSide + blockIdx.x * kTile + column;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kShare][kShare];
  for (int i = 0; i < kShare; i++)
    for (int j = 0; j < kShare; j++) wmma::fill_fragment(sums[i][j], 0.0f);
  for (int depth = 0; depth < kSide; depth += kDepth) {
    load_slice<kTile, kDepth>(a + depth, a_slice);
    load_slice<kDepth, kTile>(b + static_cast<size_t>(depth) * kSide, b_slice);
    __syncthreads();
    for (int d = 0; d < kDepth; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> left[kShare];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> right[kShare];
      for (int i = 0; i < kShare; i++) {
        wmma::load_matrix_sync(left[i], &a_slice[row + 16 * i][d], kDepth + kPad);
        wmma::load_matrix_sync(right[i], &b_slice[d][column + 16 * i], kTile + kPad);
      }
      for (int i = 0; i < kShare; i++)
        for (int j = 0; j < kShare; j++) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < kShare; i++)
    for (int j = 0; j < kShare; j++)
      wmma::store_matrix_sync(c + 16 * i * kSide + 16 * j, sums[i][j], kSide, wmma::mem_row_major);
}

struct Matrices {
  DeviceBytes a{sizeof(float) * kSide * kSide}, b{sizeof(float) * kSide * kSide}, c{sizeof(float) * kSide * kSide};
};

template <typename T>
void measure_product(const Ranks& ranks, const Matrices& matrices, const char* name, int tile, int threads,
                     void (*kernel)(const T*, const T*, float*)) {
  dim3 grid(kSide / tile, kSide / tile);
  double work = 2.0 * kSide * kSide * kSide;
  measure_together(ranks, {name, Who::All, double(tile), work}, 3, [&] {
    return queued_us(ranks, 1, [&](int) {
      kernel<<<grid, threads, 0, ranks.stream>>>(reinterpret_cast<const T*>(matrices.a.data),
                                                 reinterpret_cast<const T*>(matrices.b.data),
                                                 reinterpret_cast<float*>(matrices.c.data));
    });
  });
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Matrices matrices;
  measure_product<float>(ranks, matrices, "product_fp32", 32, 256, multiply_fp32<32, 2>);
  measure_product<float>(ranks, matrices, "product_fp32", 64, 256, multiply_fp32<64, 4>);
  measure_product<float>(ranks, matrices, "product_fp32", 128, 256, multiply_fp32<128, 8>);
  measure_product<bf16>(ranks, matrices, "product_bf16", 32, 128, multiply_bf16<32>);
  measure_product<bf16>(ranks, matrices, "product_bf16", 64, 128, multiply_bf16<64>);
  measure_product<bf16>(ranks, matrices, "product_bf16", 128, 128, multiply_bf16<128>);
  check(cudaGetLastError());
}
