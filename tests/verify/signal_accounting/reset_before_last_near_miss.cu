// All four signals are waited for before the reset, also the one of the padding chunk that nobody reads.
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

constexpr int kChunks = 4;
constexpr int kUsed = 3;
constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr ncclGinSignal_t kArrived = 0, kClosed = 1;

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  const int peer = 1 - comm.rank;
  if (threadIdx.x == 0) {
    for (int chunk = 0; chunk < kChunks; chunk++) {
      size_t at = chunk * kBytes;
      gin.put(world, peer, window, kChunks * kBytes + at, window, at, kBytes, ncclGin_SignalInc{kArrived});
    }
    gin.signal(world, peer, ncclGin_SignalInc{kClosed});
  }
  gin.waitSignal(ncclCoopCta(), kArrived, kChunks);
  if (threadIdx.x == 0) gin.resetSignal(kArrived);
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, kChunks * kBytes));
  int sum = 0;
  for (int chunk = 0; chunk < kUsed; chunk++) sum += got[chunk * kCount + threadIdx.x];
  sums[threadIdx.x] = sum;
  gin.waitSignal(ncclCoopCta(), kClosed, 1);
  gin.flush(ncclCoopCta());
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 2;
  Endpoint endpoint(2 * kChunks * kBytes, requirements);
  std::vector<int> values(kChunks * kCount, 7 + endpoint.rank);
  CHECK(cudaMemcpy(endpoint.memory, values.data(), kChunks * kBytes, cudaMemcpyHostToDevice));
  int* sums;
  CHECK(cudaMalloc(&sums, kBytes));
  endpoint.meet();
  exchange<<<1, kCount>>>(endpoint.device, endpoint.window, sums);
  CHECK(cudaMemcpy(values.data(), sums, kBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += values[i] != kUsed * (8 - endpoint.rank);
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  CHECK(cudaFree(sums));
  return wrong != 0;
}
