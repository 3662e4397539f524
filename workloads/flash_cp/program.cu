// Attention with context parallelism: every rank holds a part of the sequence. Queries stay, keys and values travel
// around the ring of ranks, and every rank folds each part it sees into a running softmax (FlashAttention).
//
//   out = softmax(Q K^T / sqrt(head_dim)) V      for every head; Q, K, V by tokens, seq / ranks to each rank
//
// Parameters: seq, heads, head_dim (32, 64 or 128), causal (1: a token sees those before it and itself); tensor (0:
// fp32, 1: bf16 on the tensor cores with sums in fp32).
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

template <typename T>
cuco::Tolerance tolerance() {
  return std::is_same<T, float>::value ? cuco::within(1e-4, 1e-4) : cuco::within(2e-2, 2e-2);
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

constexpr int kTile = 32;  // Queries of a block, and keys of one of its steps.
constexpr int kThreads = 128;
constexpr int kSharers = kThreads / kTile;  // Threads of one query: neighbours in a warp.

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

// What a query's softmax has seen so far: its largest score and, relative to that, the sum of the exponentials.
struct Softmax {
  float largest, sum;
};

// The state of all queries between two parts of the keys; `mixed` is the output before the division by the sum.
struct State {
  Softmax* softmax;
  float* mixed;
};

// Turns a query's scores against a tile of keys, of which the first `visible` count, into weights. What was summed up
// before must be multiplied by the result.
__device__ float fold(float* scores, int visible, float scale, Softmax& softmax) {
  const int first = threadIdx.x % kSharers;
  float largest = softmax.largest;
  for (int j = first; j < kTile; j += kSharers) {
    scores[j] = j < visible ? scores[j] * scale : -INFINITY;
    largest = fmaxf(largest, scores[j]);
  }
  for (int lanes = 1; lanes < kSharers; lanes *= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
  float sum = 0;
  for (int j = first; j < kTile; j += kSharers) sum += scores[j] = expf(scores[j] - largest);
  for (int lanes = 1; lanes < kSharers; lanes *= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  const float shrink = expf(softmax.largest - largest);
  softmax = {largest, softmax.sum * shrink + sum};
  return shrink;
}

// Where a block's queries, the part of the keys and its values are; heads are rows of the grid.
struct Place {
  size_t head, queries;  // First tokens, counted over all heads.
  int row, sharer;       // Of the thread.
  int key_tiles;

  __device__ Place(int tokens, bool diagonal)
      : head(static_cast<size_t>(blockIdx.y) * tokens),
        queries(head + blockIdx.x * kTile),
        row(threadIdx.x / kSharers),
        sharer(threadIdx.x % kSharers),
        key_tiles(diagonal ? blockIdx.x + 1 : tokens / kTile) {}

  // Keys of a tile that the thread's query sees. On the diagonal, the last tile has the block's own tokens.
  __device__ int visible(int tile, bool diagonal) const { return diagonal && tile + 1 == key_tiles ? row + 1 : kTile; }
};

template <int kDim>
__device__ float dot(const float* a, const float* b) {
  float sum = 0;
  for (int d = 0; d < kDim; d++) sum += a[d] * b[d];
  return sum;
}

// fp32: a query's output is in the registers of its sharers.
template <int kDim>
__global__ void attend_fp32(const float* q, const float* k, const float* v, State state, int tokens, bool first,
                            bool diagonal) {
  __shared__ __align__(16) float q_tile[kTile][kDim + 4];
  __shared__ __align__(16) float kv_tile[kTile][kDim + 4];
  __shared__ float scores[kTile][kTile + 1];
  const Place at(tokens, diagonal);
  Softmax softmax = first ? Softmax{-INFINITY, 0} : state.softmax[at.queries + at.row];
  float* kept = state.mixed + (at.queries + at.row) * kDim + at.sharer;
  float mixed[kDim / kSharers];
#pragma unroll
  for (int i = 0; i < kDim / kSharers; i++) mixed[i] = first ? 0 : kept[i * kSharers];

  load_slice<kTile, kDim>(q + at.queries * kDim, kDim, q_tile);
  for (int tile = 0; tile < at.key_tiles; tile++) {
    const size_t keys = (at.head + tile * kTile) * kDim;
    load_slice<kTile, kDim>(k + keys, kDim, kv_tile);
    __syncthreads();
    for (int j = at.sharer; j < kTile; j += kSharers) scores[at.row][j] = dot<kDim>(q_tile[at.row], kv_tile[j]);
    __syncthreads();
    load_slice<kTile, kDim>(v + keys, kDim, kv_tile);
    const float shrink = fold(scores[at.row], at.visible(tile, diagonal), rsqrtf(kDim), softmax);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDim / kSharers; i++) {
      mixed[i] *= shrink;
      for (int j = 0; j < kTile; j++) mixed[i] += scores[at.row][j] * kv_tile[j][at.sharer + i * kSharers];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kDim / kSharers; i++) kept[i * kSharers] = mixed[i];
  if (at.sharer == 0) state.softmax[at.queries + at.row] = softmax;
}

// A warp's 16 x 16 scores: rows of q against rows of k.
template <int kDim, int kPitch>
__device__ void multiply_scores(const bf16* q, const bf16* k, float* scores, int scores_pitch) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int d = 0; d < kDim; d += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> q_part;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> k_part;
    wmma::load_matrix_sync(q_part, q + d, kPitch);
    wmma::load_matrix_sync(k_part, k + d, kPitch);
    wmma::mma_sync(sum, q_part, k_part, sum);
  }
  wmma::store_matrix_sync(scores, sum, scores_pitch, wmma::mem_row_major);
}

// Adds 16 rows of weights times kColumns columns of v to mixed.
template <int kColumns, int kPitch>
__device__ void add_values(const bf16* weights, int weights_pitch, const bf16* v, float* mixed, int mixed_pitch) {
  for (int column = 0; column < kColumns; column += 16) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, mixed + column, mixed_pitch, wmma::mem_row_major);
    for (int key = 0; key < kTile; key += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> weight_part;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> v_part;
      wmma::load_matrix_sync(weight_part, weights + key, weights_pitch);
      wmma::load_matrix_sync(v_part, v + key * kPitch + column, kPitch);
      wmma::mma_sync(sum, weight_part, v_part, sum);
    }
    wmma::store_matrix_sync(mixed + column, sum, mixed_pitch, wmma::mem_row_major);
  }
}

// bf16: the output is in shared memory, where sharers scale it and warps add to it. Each warp has a quarter of a tile.
template <int kDim>
__global__ void attend_bf16(const bf16* q, const bf16* k, const bf16* v, State state, int tokens, bool first,
                            bool diagonal) {
  constexpr int kPitch = kDim + 8, kWeightsPitch = kTile + 8, kScoresPitch = kTile + 4, kMixedPitch = kDim + 4;
  __shared__ __align__(32) bf16 q_tile[kTile][kPitch];
  __shared__ __align__(32) bf16 kv_tile[kTile][kPitch];
  __shared__ __align__(32) bf16 weights[kTile][kWeightsPitch];
  __shared__ __align__(32) float scores[kTile][kScoresPitch];
  __shared__ __align__(32) float mixed[kTile][kMixedPitch];
  const Place at(tokens, diagonal);
  const int upper = threadIdx.x / 64 * 16, left = threadIdx.x / 32 % 2;
  Softmax softmax = first ? Softmax{-INFINITY, 0} : state.softmax[at.queries + at.row];
  float* kept = state.mixed + (at.queries + at.row) * kDim;
  for (int d = at.sharer; d < kDim; d += kSharers) mixed[at.row][d] = first ? 0 : kept[d];

  load_slice<kTile, kDim>(q + at.queries * kDim, kDim, q_tile);
  for (int tile = 0; tile < at.key_tiles; tile++) {
    const size_t keys = (at.head + tile * kTile) * kDim;
    load_slice<kTile, kDim>(k + keys, kDim, kv_tile);
    __syncthreads();
    multiply_scores<kDim, kPitch>(q_tile[upper], kv_tile[left * 16], &scores[upper][left * 16], kScoresPitch);
    __syncthreads();
    load_slice<kTile, kDim>(v + keys, kDim, kv_tile);
    const float shrink = fold(scores[at.row], at.visible(tile, diagonal), rsqrtf(kDim), softmax);
    for (int j = at.sharer; j < kTile; j += kSharers) weights[at.row][j] = __float2bfloat16(scores[at.row][j]);
    for (int d = at.sharer; d < kDim; d += kSharers) mixed[at.row][d] *= shrink;
    __syncthreads();
    add_values<kDim / 2, kPitch>(weights[upper], kWeightsPitch, &kv_tile[0][left * kDim / 2],
                                 &mixed[upper][left * kDim / 2], kMixedPitch);
    __syncthreads();
  }
  for (int d = at.sharer; d < kDim; d += kSharers) kept[d] = mixed[at.row][d];
  if (at.sharer == 0) state.softmax[at.queries + at.row] = softmax;
}

template <typename T>
__global__ void divide_by_sum(State state, T* out, int head_dim, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[i] = T(state.mixed[i] / state.softmax[i / head_dim].sum);
}

struct Shape {
  int tokens, heads, head_dim;  // tokens: of one rank.
  bool causal;

  size_t count() const { return static_cast<size_t>(tokens) * heads * head_dim; }
};

template <int kDim>
void attend_dim(const float* q, const float* kv, State state, const Shape& shape, bool first, bool diagonal,
                cudaStream_t stream) {
  attend_fp32<kDim><<<dim3(shape.tokens / kTile, shape.heads), kThreads, 0, stream>>>(q, kv, kv + shape.count(), state,
                                                                                      shape.tokens, first, diagonal);
}

template <int kDim>
void attend_dim(const bf16* q, const bf16* kv, State state, const Shape& shape, bool first, bool diagonal,
                cudaStream_t stream) {
  attend_bf16<kDim><<<dim3(shape.tokens / kTile, shape.heads), kThreads, 0, stream>>>(q, kv, kv + shape.count(), state,
                                                                                      shape.tokens, first, diagonal);
}

template <typename T>
void attend(const T* q, const T* kv, State state, const Shape& shape, bool first, bool diagonal, cudaStream_t stream) {
  if (shape.head_dim == 32) attend_dim<32>(q, kv, state, shape, first, diagonal, stream);
  if (shape.head_dim == 64) attend_dim<64>(q, kv, state, shape, first, diagonal, stream);
  if (shape.head_dim == 128) attend_dim<128>(q, kv, state, shape, first, diagonal, stream);
  check(cudaGetLastError());
}

// All by heads, then tokens; K before V.
template <typename T>
struct Buffers {
  DeviceArray<T> q, kv, travelling, out;
  DeviceArray<Softmax> softmax;
  DeviceArray<float> mixed;

  explicit Buffers(const Shape& shape)
      : q(shape.count()),
        kv(2 * shape.count()),
        travelling(2 * kv.count),
        out(shape.count()),
        softmax(shape.count() / shape.head_dim),
        mixed(shape.count()) {}

  State state() const { return {softmax.data, mixed.data}; }
};

template <typename T>
void pass_on(const T* held, T* incoming, size_t count, const Cluster& cluster) {
  const int next = (cluster.rank + 1) % cluster.rank_count;
  const int previous = (cluster.rank + cluster.rank_count - 1) % cluster.rank_count;
  check(ncclGroupStart());
  check(ncclSend(held, count, nccl_type<T>, next, cluster.comm, cluster.stream));
  check(ncclRecv(incoming, count, nccl_type<T>, previous, cluster.comm, cluster.stream));
  check(ncclGroupEnd());
}

template <typename T>
void ring_attention(const Shape& shape, const Buffers<T>& buffers, const Cluster& cluster) {
  const T* held = buffers.kv.data;
  for (int step = 0; step < cluster.rank_count; step++) {
    const int owner = (cluster.rank - step + cluster.rank_count) % cluster.rank_count;
    if (!shape.causal || owner <= cluster.rank)
      attend(buffers.q.data, held, buffers.state(), shape, step == 0, shape.causal && step == 0, cluster.stream);
    if (step + 1 == cluster.rank_count) break;
    T* incoming = buffers.travelling.data + step % 2 * buffers.kv.count;
    pass_on(held, incoming, buffers.kv.count, cluster);
    held = incoming;
  }
  divide_by_sum<<<(shape.count() + 1023) / 1024, 256, 0, cluster.stream>>>(buffers.state(), buffers.out.data,
                                                                           shape.head_dim, shape.count());
  check(cudaGetLastError());
  check(cudaStreamSynchronize(cluster.stream));
}

template <typename T>
void run(cuco::Harness& harness, const Shape& shape, const Cluster& cluster) {
  Buffers<T> buffers(shape);
  harness.input("q", buffers.q.data, buffers.q.count, cuco::normal(0, 1));
  harness.input("kv", buffers.kv.data, buffers.kv.count, cuco::normal(0, 1));
  harness.scratch("travelling", buffers.travelling.data, buffers.travelling.count);
  harness.scratch("softmax", &buffers.softmax.data->largest, 2 * buffers.softmax.count);
  harness.scratch("mixed", buffers.mixed.data, buffers.mixed.count);
  harness.output("out", buffers.out.data, buffers.out.count, tolerance<T>());
  harness.run([&] { ring_attention(shape, buffers, cluster); });
}

int main(int argc, char** argv) {
  Cluster cluster(&argc, &argv);
  cuco::Harness harness(cluster.rank, cluster.rank_count, argc, argv);
  const int seq = harness.parameter("seq", 4096), heads = harness.parameter("heads", 32);
  const int head_dim = harness.parameter("head_dim", 64);
  const bool causal = harness.parameter("causal", 0) != 0, tensor = harness.parameter("tensor", 0) != 0;
  harness.require(seq > 0 && seq % (cluster.rank_count * kTile) == 0, "seq must be a multiple of ranks x 32");
  harness.require(heads > 0, "heads must be at least 1");
  harness.require(head_dim == 32 || head_dim == 64 || head_dim == 128, "head_dim must be 32, 64 or 128");
  const Shape shape = {seq / cluster.rank_count, heads, head_dim, causal};
  tensor ? run<bf16>(harness, shape, cluster) : run<float>(harness, shape, cluster);
}
