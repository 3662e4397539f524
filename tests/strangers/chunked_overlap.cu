// stranger: overlap by hand: the product is computed in chunks of rows on one non-blocking stream, each chunk is reduced on another
// ranks: 2
// arguments: --m=32 --n=32 --k=16 --chunks=4
// case: --m=4096 --n=4096 --k=2048 --chunks=4
// case-on: -n 4 --profile a100-2node-roce
// optimize: 3
// expect-output: overlapped result PASSED
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#define CUDA_CHECK(expr)                                                                        \
  do {                                                                                          \
    const cudaError_t result__ = (expr);                                                        \
    if (result__ != cudaSuccess) {                                                              \
      std::fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(result__), __FILE__, __LINE__); \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (false)

#define NCCL_CHECK(expr)                                                                        \
  do {                                                                                          \
    const ncclResult_t result__ = (expr);                                                       \
    if (result__ != ncclSuccess) {                                                              \
      std::fprintf(stderr, "NCCL error %s at %s:%d\n", ncclGetErrorString(result__), __FILE__, __LINE__); \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (false)
template <int kTile>
__global__ void matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.f;
  for (int start = 0; start < k; start += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0.f;
    tile_b[threadIdx.y][threadIdx.x] = col < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

class ArgumentMap {
 public:
  ArgumentMap(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string text = argv[i];
      const auto equals = text.find('=');
      if (text.rfind("--", 0) == 0 && equals != std::string::npos) values_[text.substr(2, equals - 2)] = text.substr(equals + 1);
    }
  }
  int get(const std::string& name, int fallback) const {
    const auto found = values_.find(name);
    return found == values_.end() ? fallback : std::stoi(found->second);
  }

 private:
  std::unordered_map<std::string, std::string> values_;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, world_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  const ArgumentMap arguments(argc, argv);
  const int m = arguments.get("m", 4096), n = arguments.get("n", 4096), k = arguments.get("k", 4096);
  const int chunks = arguments.get("chunks", 8), warmup = arguments.get("warmup", 1), iterations = arguments.get("iterations", 2);
  const int local_k = k / world_size, chunk_rows = m / chunks;
  CUDA_CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_CHECK(ncclCommInitRank(&comm, world_size, id, rank));

  std::vector<float> host_a(static_cast<size_t>(m) * local_k), host_b(static_cast<size_t>(local_k) * n), host_c(static_cast<size_t>(m) * n);
  for (size_t i = 0; i < host_a.size(); ++i) host_a[i] = static_cast<float>(static_cast<int>(i % 7) - 3);
  for (size_t i = 0; i < host_b.size(); ++i) host_b[i] = static_cast<float>(static_cast<int>(i % 5) - 2);
  float *a, *b, *c;
  CUDA_CHECK(cudaMalloc(&a, host_a.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b, host_b.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&c, host_c.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(a, host_a.data(), host_a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(b, host_b.data(), host_b.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t compute_stream, comm_stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&compute_stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&comm_stream, cudaStreamNonBlocking));
  std::vector<cudaEvent_t> computed(chunks);
  for (auto& event : computed) CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaEvent_t start, stop, joined;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

  constexpr int kTile = 8;
  const dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (chunk_rows + kTile - 1) / kTile);
  for (int iteration = 0; iteration < warmup + iterations; ++iteration) {
    if (iteration == warmup) CUDA_CHECK(cudaEventRecord(start, compute_stream));
    for (int chunk = 0; chunk < chunks; ++chunk) {
      float* part = c + static_cast<size_t>(chunk) * chunk_rows * n;
      matmul_kernel<kTile><<<grid, block, 0, compute_stream>>>(a + static_cast<size_t>(chunk) * chunk_rows * local_k, b, part, chunk_rows, n, local_k);
      CUDA_CHECK(cudaEventRecord(computed[chunk], compute_stream));
      CUDA_CHECK(cudaStreamWaitEvent(comm_stream, computed[chunk], 0));
      NCCL_CHECK(ncclAllReduce(part, part, static_cast<size_t>(chunk_rows) * n, ncclFloat, ncclSum, comm, comm_stream));
    }
    CUDA_CHECK(cudaEventRecord(joined, comm_stream));
    CUDA_CHECK(cudaStreamWaitEvent(compute_stream, joined, 0));
  }
  CUDA_CHECK(cudaEventRecord(stop, compute_stream));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float elapsed_ms = 0.f;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));

  CUDA_CHECK(cudaMemcpy(host_c.data(), c, host_c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool passed = true;
  for (size_t i = 0; i < host_c.size(); i += 1 + host_c.size() / 200) {
    double expected = 0;
    for (int j = 0; j < local_k; ++j) expected += host_a[i / n * local_k + j] * host_b[static_cast<size_t>(j) * n + i % n];
    passed = passed && std::fabs(expected * world_size - host_c[i]) < 1e-2;
  }
  if (rank == 0) std::printf("%.3f ms, overlapped result %s\n", elapsed_ms / iterations, passed ? "PASSED" : "FAILED");
  for (auto event : computed) CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaEventDestroy(joined));
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  CUDA_CHECK(cudaFree(c));
  CUDA_CHECK(cudaStreamDestroy(compute_stream));
  CUDA_CHECK(cudaStreamDestroy(comm_stream));
  NCCL_CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
