// The loop resets exactly the signals that were asked for, all of them waited for and none in flight.
// ranks: 4
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

constexpr int kCount = 16;
constexpr size_t kBytes = kCount * sizeof(int);

__device__ void reset_all(const ncclGin& gin) {
  for (int signal = threadIdx.x; signal < gin.comm.nRanks; signal += blockDim.x) gin.resetSignal(signal);
}

__global__ void gather_all(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclGin_SignalInc mine{static_cast<ncclGinSignal_t>(comm.rank)};
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, 0};
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.put(ncclTeamWorld(comm), peer, window, (comm.rank + 1) * kBytes, window, 0, kBytes, mine);
  for (int peer = 0; peer < comm.nRanks; peer++) gin.waitSignal(ncclCoopCta(), peer, 1);
  gin.flush(ncclCoopCta());
  reset_all(gin);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.barrierCount = 1;
  requirements.ginSignalCount = 4;
  Endpoint endpoint(5 * kBytes, requirements);
  long wrong = 0;
  for (int round = 0; round < 2; round++) {
    std::vector<int> values(5 * kCount, 10 * round + endpoint.rank);
    CHECK(cudaMemcpy(endpoint.memory, values.data(), kBytes, cudaMemcpyHostToDevice));
    endpoint.meet();
    gather_all<<<1, 32>>>(endpoint.device, endpoint.window);
    CHECK(cudaMemcpy(values.data(), endpoint.memory, 5 * kBytes, cudaMemcpyDeviceToHost));
    for (int i = kCount; i < 5 * kCount; i++) wrong += values[i] != 10 * round + i / kCount - 1;
    endpoint.meet();
  }
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
