// The host threads meet, but the launch is asynchronous: the kernel that stores to the peer may not even have begun.
// ranks: 2
// expect-finding: window_race
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if (int code = static_cast<int>(call)) {              \
      std::fprintf(stderr, "%s gives %d\n", #call, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                       \
    }                                                     \
  } while (0)

static ncclComm_t connect(int* rank, int* count) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(*rank % devices));
  ncclUniqueId id;
  if (*rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, *count, id, *rank));
  return comm;
}

constexpr int kCount = 200;

__global__ void store_to_peer(ncclWindow_t window, int rank, int peer) {
  auto* theirs = static_cast<int*>(ncclGetLsaPointer(window, 0, peer));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) theirs[i] = rank * 500 + i;  // FAULT
}

__global__ void negate(const int* own, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = -own[i];  // FAULT
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kCount * sizeof(int)));
  CHECK(cudaMemset(memory, 0, kCount * sizeof(int)));
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kCount * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  store_to_peer<<<4, 64, 0, stream>>>(window, rank, 1 - rank);
  MPI_Barrier(MPI_COMM_WORLD);
  negate<<<4, 64, 0, stream>>>(memory, out);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpyAsync(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != -((1 - rank) * 500 + i);
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
