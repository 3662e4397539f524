// Decoding with tensor parallelism: the multilayer perceptrons of a transformer for a small batch. Every rank holds a
// slice of the vocabulary and of the inner units of each layer. It computes its part of the embedding or layer, the
// parts are summed over the ranks, and every rank adds the sum to the residual stream and normalises it for the next
// layer.
//
//   residual = residual + sum of the ranks' parts;  normed = residual / rms(residual)
//   part     = silu(normed[batch, hidden] up[hidden, inner / ranks]) down[inner / ranks, hidden]
//
// The gains of the norms are taken to be folded into `up`. Parameters: batch, hidden, inner, layers; tensor (0: fp32,
// 1: bf16 on the tensor cores with sums in fp32); tile, the side of a block's part of a product.
#include <cuda_bf16.h>
#include <mma.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "cuco/harness.h"

using bf16 = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

void fail(const char* library, const char* reason) {
  std::fprintf(stderr, "%s: %s\n", library, reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
void check(cudaError_t result) {
  if (result != cudaSuccess) fail("CUDA", cudaGetErrorString(result));
}
void check(ncclResult_t result) {
  if (result != ncclSuccess) fail("NCCL", ncclGetErrorString(result));
}

// In bf16 the residual is rounded in every layer, and the sum over ranks after every rank that NCCL's rings add, at
// magnitudes up to 8, where neighbours are 2^-5 apart: ranks that are summed in another order, or rounded once as by
// NCCL's kernels on windows, may end two neighbours away, however small the result is.
template <typename T>
cuco::Tolerance tolerance() {
  return std::is_same<T, float>::value ? cuco::within(1e-4, 1e-4) : cuco::within(6.25e-2, 2e-2);
}

template <typename T>
constexpr ncclDataType_t nccl_type = std::is_same<T, float>::value ? ncclFloat32 : ncclBfloat16;

// One MPI process is one rank with one GPU.
struct Cluster {
  int rank = 0, rank_count = 1;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  Cluster(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    int device_count = 0;
    check(cudaGetDeviceCount(&device_count));
    check(cudaSetDevice(rank_in_node() % device_count));
    check(cudaStreamCreate(&stream));
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(ncclCommInitRank(&comm, rank_count, id, rank));
  }
  ~Cluster() {
    check(ncclCommDestroy(comm));
    check(cudaStreamDestroy(stream));
    MPI_Finalize();
  }
  Cluster(const Cluster&) = delete;

 private:
  int rank_in_node() const {
    MPI_Comm node;
    int local = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    return local;
  }
};

template <typename T>
struct DeviceArray {
  T* data = nullptr;
  size_t count;

  explicit DeviceArray(size_t n) : count(n) { check(cudaMalloc(&data, n * sizeof(T))); }
  ~DeviceArray() { check(cudaFree(data)); }
  DeviceArray(const DeviceArray&) = delete;
};

// Copies kRows x kColumns elements of a matrix with rows of `pitch` elements, 16 bytes at a time.
template <int kRows, int kColumns, int kPitch, typename T>
__device__ void load_slice(const T* from, int pitch, T (&to)[kRows][kPitch]) {
  constexpr int kVector = 16 / sizeof(T);
  for (int i = threadIdx.x * kVector; i < kRows * kColumns; i += blockDim.x * kVector) {
    int row = i / kColumns, column = i % kColumns;
    *reinterpret_cast<float4*>(&to[row][column]) =
        *reinterpret_cast<const float4*>(&from[static_cast<size_t>(row) * pitch + column]);
  }
}

// fp32: every thread keeps kShare x kShare elements of the tile, a stride apart so that a warp reads neighbours.
template <int kTile, int kShare>
__global__ void gemm_fp32(const float* a, const float* b, float* c, int n, int k) {
  constexpr int kDepth = 16, kStride = kTile / kShare;
  __shared__ __align__(16) float a_slice[kTile][kDepth + 4];
  __shared__ __align__(16) float b_slice[kDepth][kTile];
  const int row = threadIdx.x / kStride, column = threadIdx.x % kStride;
  a += static_cast<size_t>(blockIdx.y) * kTile * k;
  b += blockIdx.x * kTile;
  c += static_cast<size_t>(blockIdx.y) * kTile * n + blockIdx.x * kTile;

  float sum[kShare][kShare] = {};
  for (int depth = 0; depth < k; depth += kDepth) {
    load_slice<kTile, kDepth>(a + depth, k, a_slice);
    load_slice<kDepth, kTile>(b + static_cast<size_t>(depth) * n, n, b_slice);
    __syncthreads();
    for (int d = 0; d < kDepth; d++)
      for (int i = 0; i < kShare; i++)
        for (int j = 0; j < kShare; j++) sum[i][j] += a_slice[row + i * kStride][d] * b_slice[d][column + j * kStride];
    __syncthreads();
  }
  for (int i = 0; i < kShare; i++)
    for (int j = 0; j < kShare; j++) c[static_cast<size_t>(row + i * kStride) * n + column + j * kStride] = sum[i][j];
}

// A warp's 16 x 16 sums to bf16, through its own piece of shared memory; every lane stores half a row.
template <typename Sum>
__device__ void store_fragment(const Sum& sum, float* staging, bf16* c, int n) {
  const int row = threadIdx.x % 32 / 2, column = threadIdx.x % 2 * 8;
  wmma::store_matrix_sync(staging, sum, 16, wmma::mem_row_major);
  __syncwarp();
  __align__(16) bf16 half_row[8];
  for (int i = 0; i < 8; i++) half_row[i] = __float2bfloat16(staging[row * 16 + column + i]);
  *reinterpret_cast<float4*>(&c[static_cast<size_t>(row) * n + column]) = *reinterpret_cast<float4*>(half_row);
  __syncwarp();
}

// bf16: every warp keeps kRows x kColumns elements of the tile in fragments.
template <int kTile, int kRows, int kColumns>
__global__ void gemm_bf16(const bf16* a, const bf16* b, bf16* c, int n, int k) {
  constexpr int kDepth = 32, kAcross = kTile / kColumns, kWarps = kAcross * (kTile / kRows);
  __shared__ __align__(32) bf16 a_slice[kTile][kDepth + 8];
  __shared__ __align__(32) bf16 b_slice[kDepth][kTile + 8];
  __shared__ __align__(32) float staging[kWarps][256];
  const int warp = threadIdx.x / 32, row = warp / kAcross * kRows, column = warp % kAcross * kColumns;
  a += static_cast<size_t>(blockIdx.y) * kTile * k;
  b += blockIdx.x * kTile;
  c += (static_cast<size_t>(blockIdx.y) * kTile + row) * n + blockIdx.x * kTile + column;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[kRows / 16][kColumns / 16];
  for (auto& fragments : sum)
    for (auto& fragment : fragments) wmma::fill_fragment(fragment, 0.0f);
  for (int depth = 0; depth < k; depth += kDepth) {
    load_slice<kTile, kDepth>(a + depth, k, a_slice);
    load_slice<kDepth, kTile>(b + static_cast<size_t>(depth) * n, n, b_slice);
    __syncthreads();
    for (int d = 0; d < kDepth; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a_part[kRows / 16];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> b_part;
      for (int i = 0; i < kRows / 16; i++) wmma::load_matrix_sync(a_part[i], &a_slice[row + i * 16][d], kDepth + 8);
      for (int j = 0; j < kColumns / 16; j++) {
        wmma::load_matrix_sync(b_part, &b_slice[d][column + j * 16], kTile + 8);
        for (int i = 0; i < kRows / 16; i++) wmma::mma_sync(sum[i][j], a_part[i], b_part, sum[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kRows / 16; i++)
    for (int j = 0; j < kColumns / 16; j++)
      store_fragment(sum[i][j], staging[warp], c + static_cast<size_t>(i) * 16 * n + j * 16, n);
}

void gemm(const float* a, const float* b, float* c, int m, int n, int k, int tile, cudaStream_t stream) {
  dim3 grid(n / tile, m / tile);
  if (tile == 64)
    gemm_fp32<64, 4><<<grid, 256, 0, stream>>>(a, b, c, n, k);
  else
    gemm_fp32<16, 2><<<grid, 64, 0, stream>>>(a, b, c, n, k);
  check(cudaGetLastError());
}

void gemm(const bf16* a, const bf16* b, bf16* c, int m, int n, int k, int tile, cudaStream_t stream) {
  dim3 grid(n / tile, m / tile);
  if (tile == 128)
    gemm_bf16<128, 64, 32><<<grid, 256, 0, stream>>>(a, b, c, n, k);
  else
    gemm_bf16<32, 16, 16><<<grid, 128, 0, stream>>>(a, b, c, n, k);
  check(cudaGetLastError());
}

template <typename T>
__global__ void silu(T* values, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float x = static_cast<float>(values[i]);
    values[i] = T(x / (1 + expf(-x)));
  }
}

// The sum of `value` over the block, for all of its threads.
template <int kThreads>
__device__ float sum_over_block(float value) {
  __shared__ float of_warp[kThreads / 32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < kThreads / 32; warp++) sum += of_warp[warp];
  return sum;
}

// One block a row. The residual stream stays fp32 from layer to layer.
template <int kThreads, typename T>
__global__ void add_and_normalise(const T* sum, float* residual, T* normed, int hidden) {
  sum += static_cast<size_t>(blockIdx.x) * hidden;
  residual += static_cast<size_t>(blockIdx.x) * hidden;
  normed += static_cast<size_t>(blockIdx.x) * hidden;
  float squares = 0;
  for (int i = threadIdx.x; i < hidden; i += kThreads) {
    residual[i] += static_cast<float>(sum[i]);
    squares += residual[i] * residual[i];
  }
  const float scale = rsqrtf(sum_over_block<kThreads>(squares) / hidden + 1e-6f);
  for (int i = threadIdx.x; i < hidden; i += kThreads) normed[i] = T(residual[i] * scale);
}

// The side of a block's part of a product: large for throughput, small where there are few tiles.
bool is_tile(int tile, bool tensor) { return tensor ? tile == 128 || tile == 32 : tile == 64 || tile == 16; }

struct Shape {
  int batch, hidden, inner, layers, tile;  // inner: of one rank.

  size_t hidden_count() const { return static_cast<size_t>(batch) * hidden; }
  size_t inner_count() const { return static_cast<size_t>(batch) * inner; }
  size_t weight_count() const { return static_cast<size_t>(hidden) * inner; }
};

template <typename T>
struct Buffers {
  DeviceArray<T> embedded, up, down;  // Weights are of all layers.
  DeviceArray<T> activated, part, sum, normed;
  DeviceArray<float> residual;

  explicit Buffers(const Shape& shape)
      : embedded(shape.hidden_count()),
        up(shape.layers * shape.weight_count()),
        down(shape.layers * shape.weight_count()),
        activated(shape.inner_count()),
        part(shape.hidden_count()),
        sum(shape.hidden_count()),
        normed(shape.hidden_count()),
        residual(shape.hidden_count()) {}
};

template <typename T>
void reduce_and_normalise(const T* part, const Shape& shape, const Buffers<T>& buffers, const Cluster& cluster) {
  constexpr int kThreads = 128;
  check(
      ncclAllReduce(part, buffers.sum.data, shape.hidden_count(), nccl_type<T>, ncclSum, cluster.comm, cluster.stream));
  add_and_normalise<kThreads><<<shape.batch, kThreads, 0, cluster.stream>>>(buffers.sum.data, buffers.residual.data,
                                                                            buffers.normed.data, shape.hidden);
  check(cudaGetLastError());
}

template <typename T>
void compute_part(int layer, const Shape& shape, const Buffers<T>& buffers, cudaStream_t stream) {
  const T* up = buffers.up.data + layer * shape.weight_count();
  const T* down = buffers.down.data + layer * shape.weight_count();
  gemm(buffers.normed.data, up, buffers.activated.data, shape.batch, shape.inner, shape.hidden, shape.tile, stream);
  silu<<<(shape.inner_count() + 1023) / 1024, 256, 0, stream>>>(buffers.activated.data, shape.inner_count());
  check(cudaGetLastError());
  gemm(buffers.activated.data, down, buffers.part.data, shape.batch, shape.hidden, shape.inner, shape.tile, stream);
}

template <typename T>
void decode_step(const Shape& shape, const Buffers<T>& buffers, const Cluster& cluster) {
  check(cudaMemsetAsync(buffers.residual.data, 0, buffers.residual.count * sizeof(float), cluster.stream));
  reduce_and_normalise(buffers.embedded.data, shape, buffers, cluster);
  for (int layer = 0; layer < shape.layers; layer++) {
    compute_part(layer, shape, buffers, cluster.stream);
    reduce_and_normalise(buffers.part.data, shape, buffers, cluster);
  }
  check(cudaStreamSynchronize(cluster.stream));
}

template <typename T>
void run(cuco::Harness& harness, const Shape& shape, const Cluster& cluster) {
  Buffers<T> buffers(shape);
  const double inner = static_cast<double>(shape.inner) * cluster.rank_count;
  harness.input("embedded", buffers.embedded.data, buffers.embedded.count, cuco::normal(0, 1));
  harness.input("up", buffers.up.data, buffers.up.count, cuco::normal(0, 1 / std::sqrt(shape.hidden)));
  harness.input("down", buffers.down.data, buffers.down.count, cuco::normal(0, 1 / std::sqrt(inner)));
  harness.scratch("activated", buffers.activated.data, buffers.activated.count);
  harness.scratch("part", buffers.part.data, buffers.part.count);
  harness.scratch("sum", buffers.sum.data, buffers.sum.count);
  harness.output("residual", buffers.residual.data, buffers.residual.count, tolerance<T>());
  harness.output("normed", buffers.normed.data, buffers.normed.count, tolerance<T>());
  harness.run([&] { decode_step(shape, buffers, cluster); });
}

int main(int argc, char** argv) {
  Cluster cluster(&argc, &argv);
  cuco::Harness harness(cluster.rank, cluster.rank_count, argc, argv);
  const int batch = harness.parameter("batch", 64), hidden = harness.parameter("hidden", 8192);
  const int inner = harness.parameter("inner", 28672), layers = harness.parameter("layers", 4);
  const bool tensor = harness.parameter("tensor", 0) != 0;
  const int tile = harness.parameter("tile", tensor ? 32 : 16);
  harness.require(is_tile(tile, tensor), "tile must be 64 or 16, on the tensor cores 128 or 32");
  harness.require(batch > 0 && batch % tile == 0, "batch must be a multiple of tile");
  harness.require(hidden > 0 && hidden % tile == 0 && hidden % 32 == 0, "hidden must be a multiple of tile and of 32");
  harness.require(inner > 0 && inner % (cluster.rank_count * tile) == 0 && inner % (cluster.rank_count * 32) == 0,
                  "inner must be a multiple of ranks x tile and of ranks x 32");
  harness.require(layers > 0, "layers must be at least 1");
  const Shape shape = {batch, hidden, inner / cluster.rank_count, layers, tile};
  tensor ? run<bf16>(harness, shape, cluster) : run<float>(harness, shape, cluster);
}
