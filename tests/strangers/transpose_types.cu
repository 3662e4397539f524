// stranger: distributed transpose of a square matrix, templated over the element type: pack, all-to-all by grouped sends, unpack
// ranks: 4
// arguments: 32
// expect-output: transpose of float and double and int correct
// convert: lsa
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#define GPU_ASSERT(ans) { gpu_assert((ans), __FILE__, __LINE__); }
inline void gpu_assert(cudaError_t code, const char* file, int line, bool abort_now = true) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
  if (abort_now) exit(code);
}
#define NCCL_ASSERT(ans) do { ncclResult_t r_ = (ans); if (r_ != ncclSuccess) { fprintf(stderr, "NCCL: %s\n", ncclGetErrorString(r_)); exit(9); } } while (0)
constexpr int Dim = 8;
template <typename T>
struct NcclType;
template <> struct NcclType<float> { static constexpr ncclDataType_t value = ncclFloat32; };
template <> struct NcclType<double> { static constexpr ncclDataType_t value = ncclFloat64; };
template <> struct NcclType<int> { static constexpr ncclDataType_t value = ncclInt32; };

// The strip [rows][n] becomes p blocks of [rows][rows], each transposed.
template <typename T>
__global__ void pack_blocks(T* __restrict__ out, const T* __restrict__ in, int rows, int n) {
  __shared__ T tile[Dim][Dim + 1];
  const int x = blockIdx.x * Dim + threadIdx.x, y = blockIdx.y * Dim + threadIdx.y;
  if (x < n && y < rows) tile[threadIdx.y][threadIdx.x] = in[(size_t)y * n + x];
  __syncthreads();
  const int col = blockIdx.x * Dim + threadIdx.y, row = blockIdx.y * Dim + threadIdx.x;
  if (col < n && row < rows) {
    const int peer = col / rows, c = col % rows;
    out[(size_t)peer * rows * rows + (size_t)c * rows + row] = tile[threadIdx.x][threadIdx.y];
  }
}

template <typename T>
__global__ void unpack_blocks(T* out, const T* in, int rows, int n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * n; i += (size_t)gridDim.x * blockDim.x) {
    const int r = i / n, c = i % n, peer = c / rows;
    out[i] = in[(size_t)peer * rows * rows + (size_t)r * rows + c % rows];
  }
}

template <typename T>
bool transpose_works(int n, int rank, int world, ncclComm_t comm, cudaStream_t stream) {
  const int rows = n / world;
  const size_t count = (size_t)rows * n, block = (size_t)rows * rows;
  std::vector<T> host(count);
  for (size_t i = 0; i < count; ++i) host[i] = static_cast<T>((size_t)rank * count + i);
  T *a, *send, *recv, *b;
  GPU_ASSERT(cudaMalloc(&a, count * sizeof(T)));
  GPU_ASSERT(cudaMalloc(&send, count * sizeof(T)));
  GPU_ASSERT(cudaMalloc(&recv, count * sizeof(T)));
  GPU_ASSERT(cudaMalloc(&b, count * sizeof(T)));
  GPU_ASSERT(cudaMemcpyAsync(a, host.data(), count * sizeof(T), cudaMemcpyHostToDevice, stream));
  const dim3 grid((n + Dim - 1) / Dim, (rows + Dim - 1) / Dim);
  pack_blocks<T><<<grid, dim3(Dim, Dim), 0, stream>>>(send, a, rows, n);
  NCCL_ASSERT(ncclGroupStart());
  for (int peer = 0; peer < world; ++peer) {
    NCCL_ASSERT(ncclSend(send + peer * block, block, NcclType<T>::value, peer, comm, stream));
    NCCL_ASSERT(ncclRecv(recv + peer * block, block, NcclType<T>::value, peer, comm, stream));
  }
  NCCL_ASSERT(ncclGroupEnd());
  unpack_blocks<<<32, 64, 0, stream>>>(b, recv, rows, n);
  GPU_ASSERT(cudaMemcpyAsync(host.data(), b, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  GPU_ASSERT(cudaStreamSynchronize(stream));
  bool good = true;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < n; ++c) good &= host[(size_t)r * n + c] == static_cast<T>((size_t)c * n + rank * rows + r);
  cudaFree(a); cudaFree(send); cudaFree(recv); cudaFree(b);
  return good;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, world;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  int n = argc > 1 ? std::stoi(std::string(argv[1])) : 8192;
  GPU_ASSERT(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL_ASSERT(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_ASSERT(ncclCommInitRank(&comm, world, id, rank));
  cudaStream_t stream;
  GPU_ASSERT(cudaStreamCreate(&stream));
  bool good = transpose_works<float>(n, rank, world, comm, stream) & transpose_works<double>(n, rank, world, comm, stream) &
              transpose_works<int>(n, rank, world, comm, stream);
  int mine = good, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("transpose of float and double and int %s\n", all ? "correct" : "INCORRECT");
  GPU_ASSERT(cudaStreamDestroy(stream));
  NCCL_ASSERT(ncclCommDestroy(comm));
  MPI_Finalize();
  return !all;
}
