// The consumer hands a credit back after reading, and the producer waits for it before it fills the slot again.
// ranks: 2
// nodes: 2
// expect: no findings
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

constexpr int kChunks = 6;
constexpr int kPerChunk = 64;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);
constexpr ncclGinSignal_t kFull = 0;
constexpr ncclGinSignal_t kEmpty = 1;

__global__ void produce(ncclDevComm comm, ncclWindow_t slot, ncclWindow_t chunks) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopThread(), kEmpty, chunk);
    gin.put(world, 1, slot, 0, chunks, chunk * kChunkBytes, kChunkBytes, ncclGin_SignalInc{kFull});
  }
  gin.waitSignal(ncclCoopThread(), kEmpty, kChunks);
  gin.flush(ncclCoopThread());
}

__global__ void consume(ncclDevComm comm, ncclWindow_t slot, int* total) {
  ncclGin gin{comm, 0};
  auto* cells = static_cast<int*>(ncclGetLocalPointer(slot, 0));
  int sum = 0;
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopCta(), kFull, chunk + 1);
    sum += cells[threadIdx.x];
    gin.signal(ncclTeamWorld(comm), 0, ncclGin_SignalInc{kEmpty}, ncclCoopCta());
  }
  total[threadIdx.x] = sum;
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int *slot, *chunks, *total;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&slot), kChunkBytes));
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&chunks), kChunks * kChunkBytes));
  CHECK(cudaMalloc(&total, kChunkBytes));
  ncclWindow_t slot_window, chunk_window;
  CHECK(ncclCommWindowRegister(comm, slot, kChunkBytes, &slot_window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(ncclCommWindowRegister(comm, chunks, kChunks * kChunkBytes, &chunk_window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(kChunks * kPerChunk);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(i * i % 977);
  CHECK(cudaMemcpy(chunks, values.data(), kChunks * kChunkBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 2;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  long wrong = 0;
  if (rank == 0) {
    produce<<<1, 1>>>(dev_comm, slot_window, chunk_window);
    CHECK(cudaDeviceSynchronize());
  } else {
    consume<<<1, kPerChunk>>>(dev_comm, slot_window, total);
    std::vector<int> got(kPerChunk);
    CHECK(cudaMemcpy(got.data(), total, kChunkBytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kPerChunk; i++) {
      int want = 0;
      for (int chunk = 0; chunk < kChunks; chunk++) want += values[chunk * kPerChunk + i];
      wrong += got[i] != want;
    }
  }
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, slot_window));
  CHECK(ncclCommWindowDeregister(comm, chunk_window));
  CHECK(ncclMemFree(slot));
  CHECK(ncclMemFree(chunks));
  CHECK(cudaFree(total));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
