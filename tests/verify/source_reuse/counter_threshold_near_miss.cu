// The counter counts puts whose source was read: before chunk c is packed, c of them must be through.
// ranks: 2
// nodes: 2
// expect: no findings
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

static void check(int code, const char* call) {
  if (code != 0) {
    std::printf("%s gives %d\n", call, code);
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}
#define CHECK(call) check(static_cast<int>(call), #call)

// MPI, communicator, one zeroed window and a device communicator, released in reverse order.
class Endpoint {
 public:
  Endpoint(size_t bytes, const ncclDevCommRequirements& requirements) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(rank % devices));
    ncclUniqueId id;
    if (rank == 0) CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(ncclCommInitRank(&comm_, size, id, rank));
    CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
    CHECK(cudaMemset(memory, 0, bytes));
    CHECK(ncclCommWindowRegister(comm_, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
    CHECK(ncclDevCommCreate(comm_, &requirements, &device));
    meet();
  }
  ~Endpoint() {
    meet();
    CHECK(ncclDevCommDestroy(comm_, &device));
    CHECK(ncclCommWindowDeregister(comm_, window));
    CHECK(ncclMemFree(memory));
    CHECK(ncclCommDestroy(comm_));
    MPI_Finalize();
  }
  Endpoint(const Endpoint&) = delete;

  // Everything this rank has launched is over, and so is everything of the others.
  void meet() const {
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank = 0, size = 0;
  int* memory = nullptr;
  ncclWindow_t window = nullptr;
  ncclDevComm device{};

 private:
  ncclComm_t comm_ = nullptr;
};

constexpr int kChunks = 6;
constexpr int kPerChunk = 32;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);

__global__ void send_squares(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  auto* staging = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitCounter(ncclCoopWarp(), 0, chunk);
    int value = chunk * kPerChunk + threadIdx.x;
    staging[threadIdx.x] = value * value;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, (chunk + 1) * kChunkBytes, window, 0, kChunkBytes,
            ncclGin_SignalInc{0}, ncclGin_CounterInc{0}, ncclCoopWarp());
  }
  gin.waitCounter(ncclCoopWarp(), 0, kChunks);
  gin.waitSignal(ncclCoopWarp(), 0, kChunks);
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  requirements.ginCounterCount = 1;
  Endpoint endpoint((kChunks + 1) * kChunkBytes, requirements);
  send_squares<<<1, 32>>>(endpoint.device, endpoint.window);
  std::vector<int> got(kChunks * kPerChunk);
  CHECK(cudaMemcpy(got.data(), endpoint.memory + kPerChunk, kChunks * kChunkBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kChunks * kPerChunk; i++) wrong += got[i] != i * i;
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
