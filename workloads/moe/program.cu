// The experts of a DeepSeek-V3 layer with expert parallelism: every rank holds one expert (or a group that acts as one)
// and its own tokens, in fp8 with a scale for each block of values. Tokens are permuted by the rank of the expert that
// they chose, dispatched, run through the experts source by source, sent back and summed up with the weights of their
// choices.
//
//   expert(x) = (silu(x gate) * (x up)) down      gate, up [hidden, inner], down [inner, hidden]
//
// All messages of an exchange are padded to the largest. Parameters: tokens (of a rank), top (choices of a token),
// hidden, inner, scale_block (values that share a scale), skew (percent: how many times as many choices fall on rank 0
// as on each other rank); tensor (0: fp32, 1: bf16 on the tensor cores with sums in fp32); tile, the side of a block's
// part of a product.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "cuco/harness.h"

using bf16 = __nv_bfloat16;
using fp8 = __nv_fp8_e4m3;
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

template <typename T>
cuco::Tolerance tolerance() {
  return std::is_same<T, float>::value ? cuco::within(1e-4, 1e-4) : cuco::within(2e-2, 2e-2);
}

template <typename T>
constexpr ncclDataType_t nccl_type = std::is_same<T, float>::value  ? ncclFloat32
                                     : std::is_same<T, bf16>::value ? ncclBfloat16
                                                                    : ncclUint8;

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

// One block a row of the messages to be sent; rows without a choice are padding.
__global__ void permute(const fp8* tokens, const float* scales, const int* choice_of_row, fp8* rows, float* row_scales,
                        int top, int hidden, int scale_count) {
  const int choice = choice_of_row[blockIdx.x];
  const size_t row = blockIdx.x, token = choice < 0 ? 0 : choice / top;
  const uint4* from = reinterpret_cast<const uint4*>(tokens + token * hidden);
  uint4* to = reinterpret_cast<uint4*>(rows + row * hidden);
  for (int i = threadIdx.x; i < hidden / 16; i += blockDim.x) to[i] = choice < 0 ? make_uint4(0, 0, 0, 0) : from[i];
  for (int i = threadIdx.x; i < scale_count; i += blockDim.x)
    row_scales[row * scale_count + i] = choice < 0 ? 0 : scales[token * scale_count + i];
}

// One block a row, as in all kernels below.
template <typename T>
__global__ void dequantise(const fp8* rows, const float* row_scales, T* values, int hidden, int scale_block) {
  rows += static_cast<size_t>(blockIdx.x) * hidden;
  row_scales += static_cast<size_t>(blockIdx.x) * (hidden / scale_block);
  values += static_cast<size_t>(blockIdx.x) * hidden;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)
    values[i] = T(static_cast<float>(rows[i]) * row_scales[i / scale_block]);
}

// A row has the gates first and then as many values.
template <typename T>
__global__ void swiglu(const T* gates_and_values, T* activated, int inner) {
  gates_and_values += static_cast<size_t>(blockIdx.x) * 2 * inner;
  activated += static_cast<size_t>(blockIdx.x) * inner;
  for (int i = threadIdx.x; i < inner; i += blockDim.x) {
    const float gate = static_cast<float>(gates_and_values[i]), value = static_cast<float>(gates_and_values[inner + i]);
    activated[i] = T(gate / (1 + expf(-gate)) * value);
  }
}

template <typename T>
__global__ void combine(const T* returned, const float* weights, const int* row_of_choice, T* out, int top,
                        int hidden) {
  const size_t token = blockIdx.x;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    float sum = 0;
    for (size_t choice = token * top; choice < (token + 1) * top; choice++)
      sum += weights[choice] * static_cast<float>(returned[static_cast<size_t>(row_of_choice[choice]) * hidden + i]);
    out[token * hidden + i] = T(sum);
  }
}

// The side of a block's part of a product: large for throughput, small where there are few tiles.
bool is_tile(int tile, bool tensor) { return tensor ? tile == 128 || tile == 32 : tile == 64 || tile == 16; }

int round_up(int count, int tile) { return (count + tile - 1) / tile * tile; }

struct Shape {
  int tokens, top, hidden, inner, scale_block, skew, tile;

  int choices() const { return tokens * top; }
  int scale_count() const { return hidden / scale_block; }
};

// Where the choices of this rank's tokens go. Messages have `capacity` rows, and row r of the message to rank d is row
// d * capacity + r of the buffer.
struct Routing {
  int capacity;
  std::vector<int> counts;         // Choices of every source for every destination.
  std::vector<int> row_of_choice;  // In the buffer.
  std::vector<int> choice_of_row;  // -1: padding.
};

// The router's draw is below skew + 100 for each rank but the first.
int destination_of(int draw, int skew) { return draw < skew ? 0 : 1 + (draw - skew) / 100; }

Routing route(const std::vector<int>& draws, const Shape& shape, int rank_count) {
  Routing routing;
  std::vector<int> own(rank_count);
  for (int draw : draws) own[destination_of(draw, shape.skew)]++;
  routing.counts.resize(rank_count * rank_count);
  MPI_Allgather(own.data(), rank_count, MPI_INT, routing.counts.data(), rank_count, MPI_INT, MPI_COMM_WORLD);
  routing.capacity = round_up(*std::max_element(routing.counts.begin(), routing.counts.end()), shape.tile);

  routing.row_of_choice.resize(draws.size());
  routing.choice_of_row.assign(rank_count * routing.capacity, -1);
  std::vector<int> filled(rank_count);
  for (size_t choice = 0; choice < draws.size(); choice++) {
    const int destination = destination_of(draws[choice], shape.skew);
    const int row = destination * routing.capacity + filled[destination]++;
    routing.row_of_choice[choice] = row;
    routing.choice_of_row[row] = choice;
  }
  return routing;
}

// Rows of messages are there for the worst case, in which all choices fall on one rank.
template <typename T>
struct Buffers {
  std::vector<int> draws;
  DeviceArray<fp8> tokens;
  DeviceArray<float> scales, weights;
  DeviceArray<T> gate_up, down;
  DeviceArray<int> row_of_choice, choice_of_row;
  DeviceArray<fp8> sent_rows, rows;
  DeviceArray<float> sent_scales, row_scales;
  DeviceArray<T> values, gates_and_values, activated, results, returned, out;

  Buffers(const Shape& shape, size_t most_rows)
      : draws(shape.choices()),
        tokens(static_cast<size_t>(shape.tokens) * shape.hidden),
        scales(static_cast<size_t>(shape.tokens) * shape.scale_count()),
        weights(shape.choices()),
        gate_up(static_cast<size_t>(2) * shape.hidden * shape.inner),
        down(static_cast<size_t>(shape.inner) * shape.hidden),
        row_of_choice(shape.choices()),
        choice_of_row(most_rows),
        sent_rows(most_rows * shape.hidden),
        rows(most_rows * shape.hidden),
        sent_scales(most_rows * shape.scale_count()),
        row_scales(most_rows * shape.scale_count()),
        values(static_cast<size_t>(shape.choices()) * shape.hidden),
        gates_and_values(static_cast<size_t>(2) * shape.choices() * shape.inner),
        activated(static_cast<size_t>(shape.choices()) * shape.inner),
        results(most_rows * shape.hidden),
        returned(most_rows * shape.hidden),
        out(tokens.count) {}
};

// `count` elements to every rank and from every rank.
template <typename T>
void all_to_all(const T* sent, T* received, size_t count, const Cluster& cluster) {
  check(ncclGroupStart());
  for (int peer = 0; peer < cluster.rank_count; peer++) {
    check(ncclSend(sent + peer * count, count, nccl_type<T>, peer, cluster.comm, cluster.stream));
    check(ncclRecv(received + peer * count, count, nccl_type<T>, peer, cluster.comm, cluster.stream));
  }
  check(ncclGroupEnd());
}

template <typename T>
void dispatch(const Routing& routing, const Shape& shape, const Buffers<T>& buffers, const Cluster& cluster) {
  check(cudaMemcpyAsync(buffers.choice_of_row.data, routing.choice_of_row.data(),
                        routing.choice_of_row.size() * sizeof(int), cudaMemcpyHostToDevice, cluster.stream));
  check(cudaMemcpyAsync(buffers.row_of_choice.data, routing.row_of_choice.data(),
                        routing.row_of_choice.size() * sizeof(int), cudaMemcpyHostToDevice, cluster.stream));
  permute<<<cluster.rank_count * routing.capacity, 128, 0, cluster.stream>>>(
      buffers.tokens.data, buffers.scales.data, buffers.choice_of_row.data, buffers.sent_rows.data,
      buffers.sent_scales.data, shape.top, shape.hidden, shape.scale_count());
  check(cudaGetLastError());
  const size_t capacity = routing.capacity;
  all_to_all(buffers.sent_rows.data, buffers.rows.data, capacity * shape.hidden, cluster);
  all_to_all(buffers.sent_scales.data, buffers.row_scales.data, capacity * shape.scale_count(), cluster);
}

// The first `row_count` rows of a message through the expert of this rank.
template <typename T>
void run_expert(size_t first_row, int row_count, const Shape& shape, const Buffers<T>& buffers, cudaStream_t stream) {
  if (row_count == 0) return;
  dequantise<<<row_count, 128, 0, stream>>>(buffers.rows.data + first_row * shape.hidden,
                                            buffers.row_scales.data + first_row * shape.scale_count(),
                                            buffers.values.data, shape.hidden, shape.scale_block);
  check(cudaGetLastError());
  gemm(buffers.values.data, buffers.gate_up.data, buffers.gates_and_values.data, row_count, 2 * shape.inner,
       shape.hidden, shape.tile, stream);
  swiglu<<<row_count, 128, 0, stream>>>(buffers.gates_and_values.data, buffers.activated.data, shape.inner);
  check(cudaGetLastError());
  gemm(buffers.activated.data, buffers.down.data, buffers.results.data + first_row * shape.hidden, row_count,
       shape.hidden, shape.inner, shape.tile, stream);
}

template <typename T>
void moe_layer(const Shape& shape, const Buffers<T>& buffers, const Cluster& cluster) {
  const Routing routing = route(buffers.draws, shape, cluster.rank_count);
  const size_t capacity = routing.capacity;
  dispatch(routing, shape, buffers, cluster);
  for (int source = 0; source < cluster.rank_count; source++) {
    const int count = routing.counts[source * cluster.rank_count + cluster.rank];
    run_expert(source * capacity, round_up(count, shape.tile), shape, buffers, cluster.stream);
  }
  all_to_all(buffers.results.data, buffers.returned.data, capacity * shape.hidden, cluster);
  combine<<<shape.tokens, 128, 0, cluster.stream>>>(buffers.returned.data, buffers.weights.data,
                                                    buffers.row_of_choice.data, buffers.out.data, shape.top,
                                                    shape.hidden);
  check(cudaGetLastError());
  check(cudaStreamSynchronize(cluster.stream));
}

template <typename T>
void name_buffers(cuco::Harness& harness, const Shape& shape, Buffers<T>& buffers, int rank_count) {
  const int last_draw = shape.skew + 100 * (rank_count - 1) - 1;
  harness.input("draws", buffers.draws.data(), buffers.draws.size(), cuco::integers(0, last_draw));
  harness.input("tokens", buffers.tokens.data, buffers.tokens.count, cuco::normal(0, 1));
  harness.input("scales", buffers.scales.data, buffers.scales.count, cuco::uniform(0.5, 1.5));
  harness.input("weights", buffers.weights.data, buffers.weights.count, cuco::uniform(0, 1));
  harness.input("gate_up", buffers.gate_up.data, buffers.gate_up.count, cuco::normal(0, 1 / std::sqrt(shape.hidden)));
  harness.input("down", buffers.down.data, buffers.down.count, cuco::normal(0, 1 / std::sqrt(shape.inner)));
  harness.scratch("sent_rows", buffers.sent_rows.data, buffers.sent_rows.count);
  harness.scratch("sent_scales", buffers.sent_scales.data, buffers.sent_scales.count);
  harness.scratch("rows", buffers.rows.data, buffers.rows.count);
  harness.scratch("row_scales", buffers.row_scales.data, buffers.row_scales.count);
  harness.scratch("values", buffers.values.data, buffers.values.count);
  harness.scratch("gates_and_values", buffers.gates_and_values.data, buffers.gates_and_values.count);
  harness.scratch("activated", buffers.activated.data, buffers.activated.count);
  harness.scratch("results", buffers.results.data, buffers.results.count);
  harness.scratch("returned", buffers.returned.data, buffers.returned.count);
  harness.output("out", buffers.out.data, buffers.out.count, tolerance<T>());
}

template <typename T>
void run(cuco::Harness& harness, const Shape& shape, const Cluster& cluster) {
  Buffers<T> buffers(shape, static_cast<size_t>(cluster.rank_count) * shape.choices());
  name_buffers(harness, shape, buffers, cluster.rank_count);
  harness.run([&] { moe_layer(shape, buffers, cluster); });
}

int main(int argc, char** argv) {
  Cluster cluster(&argc, &argv);
  cuco::Harness harness(cluster.rank, cluster.rank_count, argc, argv);
  const int tokens = harness.parameter("tokens", 4096), top = harness.parameter("top", 1);
  const int hidden = harness.parameter("hidden", 7168), inner = harness.parameter("inner", 2048);
  const int scale_block = harness.parameter("scale_block", 128), skew = harness.parameter("skew", 200);
  const bool tensor = harness.parameter("tensor", 0) != 0;
  const int tile = harness.parameter("tile", tensor ? 128 : 64);
  harness.require(is_tile(tile, tensor), "tile must be 64 or 16, on the tensor cores 128 or 32");
  harness.require(tokens > 0 && tokens % tile == 0, "tokens must be a multiple of tile");
  harness.require(top > 0 && skew > 0 && scale_block > 0, "top, skew and scale_block must be at least 1");
  harness.require(hidden > 0 && hidden % tile == 0 && hidden % 32 == 0, "hidden must be a multiple of tile and of 32");
  harness.require(hidden % scale_block == 0, "hidden must be a multiple of scale_block");
  harness.require(inner > 0 && inner % tile == 0 && inner % 32 == 0, "inner must be a multiple of tile and of 32");
  const Shape shape = {tokens, top, hidden, inner, scale_block, skew, tile};
  tensor ? run<bf16>(harness, shape, cluster) : run<float>(harness, shape, cluster);
}
