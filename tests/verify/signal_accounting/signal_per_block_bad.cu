// One signal per block, but their number is derived by a division that forgets the last, partly filled block.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
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

constexpr int kThreads = 64;
constexpr int kCount = 3 * kThreads + 10;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void exchange(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  const int first = blockIdx.x * kThreads;
  const size_t bytes = min(kThreads, kCount - first) * sizeof(int), at = first * sizeof(int);
  const ncclGinSignal_t tile = blockIdx.x;
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes + at, window, at, bytes,  // FAULT
          ncclGin_SignalInc{tile});           // FAULT
  gin.waitSignal(ncclCoopThread(), tile, 1);  // FAULT
  gin.flush(ncclCoopThread());
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(2 * kCount);
  for (int i = 0; i < kCount; i++) values[i] = rank * 1000 + i;
  CHECK(cudaMemcpy(memory, values.data(), 2 * kBytes, cudaMemcpyHostToDevice));
  const int blocks = (kCount + kThreads - 1) / kThreads;
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = kCount / kThreads;  // FAULT
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  exchange<<<blocks, 1>>>(dev_comm, window);
  CHECK(cudaMemcpy(values.data(), memory, 2 * kBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += values[kCount + i] != (1 - rank) * 1000 + i;
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
