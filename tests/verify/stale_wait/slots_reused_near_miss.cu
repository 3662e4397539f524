// Two slots take turns; chunk c is the (c / 2 + 1)-th that its slot's signal announces.
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

constexpr int kSlots = 2;
constexpr int kChunks = 8;
constexpr int kPerChunk = 64;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);
constexpr ncclGinSignal_t kClosed = 2 * kSlots;

template <int kUses>
struct Slot {
  int index, use;
  __device__ explicit Slot(int chunk) : index(chunk % kUses), use(chunk / kUses) {}
  __device__ size_t offset() const { return index * kChunkBytes; }
  __device__ ncclGinSignal_t full() const { return index; }
  __device__ ncclGinSignal_t empty() const { return kUses + index; }
};

__global__ void produce(ncclDevComm comm, ncclWindow_t slots, ncclWindow_t chunks) {
  ncclGin gin{comm, 0};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    Slot<kSlots> slot(chunk);
    gin.waitSignal(ncclCoopThread(), slot.empty(), slot.use);
    gin.put(ncclTeamWorld(comm), 1, slots, slot.offset(), chunks, chunk * kChunkBytes, kChunkBytes,
            ncclGin_SignalInc{slot.full()});
  }
  for (int last = kChunks - kSlots; last < kChunks; last++) {
    Slot<kSlots> slot(last);
    gin.waitSignal(ncclCoopThread(), slot.empty(), slot.use + 1);
  }
  gin.signal(ncclTeamWorld(comm), 1, ncclGin_SignalInc{kClosed});
  gin.flush(ncclCoopThread());
}

__global__ void consume(ncclDevComm comm, ncclWindow_t slots, int* copy) {
  ncclGin gin{comm, 0};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    Slot<kSlots> slot(chunk);
    auto* cells = static_cast<int*>(ncclGetLocalPointer(slots, slot.offset()));
    gin.waitSignal(ncclCoopCta(), slot.full(), slot.use + 1);
    copy[chunk * kPerChunk + threadIdx.x] = cells[threadIdx.x];
    gin.signal(ncclTeamWorld(comm), 0, ncclGin_SignalInc{slot.empty()}, ncclCoopCta());
  }
  gin.waitSignal(ncclCoopCta(), kClosed, 1);
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int *slots, *chunks, *copy;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&slots), kSlots * kChunkBytes));
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&chunks), kChunks * kChunkBytes));
  CHECK(cudaMalloc(&copy, kChunks * kChunkBytes));
  ncclWindow_t slot_window, chunk_window;
  CHECK(ncclCommWindowRegister(comm, slots, kSlots * kChunkBytes, &slot_window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(ncclCommWindowRegister(comm, chunks, kChunks * kChunkBytes, &chunk_window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(kChunks * kPerChunk);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(5 * i + 1);
  CHECK(cudaMemcpy(chunks, values.data(), kChunks * kChunkBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(slots, 0, kSlots * kChunkBytes));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 2 * kSlots + 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  long wrong = 0;
  if (rank == 0) {
    produce<<<1, 1>>>(dev_comm, slot_window, chunk_window);
    CHECK(cudaDeviceSynchronize());
  } else {
    consume<<<1, kPerChunk>>>(dev_comm, slot_window, copy);
    std::vector<int> got(values.size());
    CHECK(cudaMemcpy(got.data(), copy, kChunks * kChunkBytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++) wrong += got[i] != values[i];
  }
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, slot_window));
  CHECK(ncclCommWindowDeregister(comm, chunk_window));
  CHECK(ncclMemFree(slots));
  CHECK(ncclMemFree(chunks));
  CHECK(cudaFree(copy));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
