// stranger: stream-ordered allocation: every round takes its buffers with cudaMallocAsync and gives them back on the same stream
// ranks: 2
// arguments: 3 500
// expect-output: rounds verified: 3
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

template <typename Code>
static void must(Code code, const char* text) {
  if (static_cast<int>(code) == 0) return;
  std::cerr << text << " failed with code " << static_cast<int>(code) << '\n';
  std::exit(EXIT_FAILURE);
}
#define MUST(x) must(x, #x)

template <typename T>
struct PoolBuffer {
  PoolBuffer(std::size_t count, cudaStream_t stream) : stream(stream) {
    MUST(cudaMallocAsync(reinterpret_cast<void**>(&data), count * sizeof(T), stream));
  }
  ~PoolBuffer() { cudaFreeAsync(data, stream); }
  T* data = nullptr;
  cudaStream_t stream;
};

__global__ void generate(std::int32_t* out, int count, int rank, int round) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) out[i] = i ^ (rank << 4) ^ round;
}

__global__ void reduce_xor(const std::int32_t* in, std::int32_t* out, int count, int ranks) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    std::int32_t v = 0;
    for (int r = 0; r < ranks; ++r) v ^= in[r * count + i];
    out[i] = v;
  }
}

int main(int argc, char** argv) {
  MUST(MPI_Init(&argc, &argv));
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = 10, count = 1 << 22;
  if (argc == 3) {
    rounds = std::strtol(argv[1], nullptr, 10);
    count = std::strtol(argv[2], nullptr, 10);
  }
  MUST(cudaSetDevice(rank));
  cudaMemPool_t pool;
  MUST(cudaDeviceGetDefaultMemPool(&pool, rank));
  std::uint64_t keep = UINT64_MAX;
  MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  ncclUniqueId id;
  if (rank == 0) MUST(ncclGetUniqueId(&id));
  MUST(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  MUST(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));

  int verified = 0;
  std::vector<std::int32_t> host(count);
  const double begin = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    PoolBuffer<std::int32_t> mine(count, stream), all(static_cast<std::size_t>(count) * ranks, stream), out(count, stream);
    generate<<<8, 128, 0, stream>>>(mine.data, count, rank, round);
    MUST(ncclAllGather(mine.data, all.data, count, ncclInt32, comm, stream));
    reduce_xor<<<8, 128, 0, stream>>>(all.data, out.data, count, ranks);
    MUST(cudaMemcpyAsync(host.data(), out.data, count * sizeof(std::int32_t), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    bool good = true;
    for (int i = 0; i < count; ++i) {
      std::int32_t want = 0;
      for (int r = 0; r < ranks; ++r) want ^= i ^ (r << 4) ^ round;
      good = good && host[i] == want;
    }
    verified += good;
  }
  if (rank == 0) {
    std::cerr << (MPI_Wtime() - begin) / rounds * 1e3 << " ms a round\n";
    std::cout << "rounds verified: " << verified << std::endl;
  }
  MUST(cudaStreamDestroy(stream));
  MUST(ncclCommDestroy(comm));
  MPI_Finalize();
  return verified == rounds ? 0 : 1;
}
