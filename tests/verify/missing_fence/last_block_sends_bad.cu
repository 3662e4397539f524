// Blocks count themselves done without a fence, and the last one sends tiles that need not be visible to it yet.
// ranks: 2
// nodes: 2
// expect-finding: missing_fence
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

constexpr int kTiles = 6;
constexpr int kTile = 64;
constexpr size_t kBytes = kTiles * kTile * sizeof(int);

__device__ bool is_last_block(unsigned* done) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;  // FAULT
  __syncthreads();
  if (last) __threadfence();
  return last;
}

__global__ void tiles_then_put(ncclDevComm comm, ncclWindow_t window, unsigned* done) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  static_cast<int*>(ncclGetLocalPointer(window, 0))[i] = comm.rank * 10000 + i;  // FAULT
  if (!is_last_block(done)) return;
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0},  // FAULT
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 1);
  gin.flush(ncclCoopCta());
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int* memory;
  unsigned* done;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kBytes));
  CHECK(cudaMalloc(&done, sizeof(unsigned)));
  CHECK(cudaMemset(done, 0, sizeof(unsigned)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  tiles_then_put<<<kTiles, kTile>>>(dev_comm, window, done);
  std::vector<int> got(kTiles * kTile);
  CHECK(cudaMemcpy(got.data(), memory + kTiles * kTile, kBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kTiles * kTile; i++) wrong += got[i] != (1 - rank) * 10000 + i;
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(done));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
