// Two puts raise the counter, one is waited for, and the reset can meet the other on its way.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
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

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr int kRounds = 2;
constexpr int kAwaited = 1;

// Each round sends two blocks; round r lands at block 2 + 2 r of the peer.
__global__ void send_pairs(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  for (int round = 0; round < kRounds; round++) {
    for (int block = 0; block < 2; block++) {
      size_t to = (2 + 2 * round + block) * kBytes;
      gin.put(world, 1 - comm.rank, window, to, window, block * kBytes, kBytes, ncclGin_SignalInc{0},  // FAULT
              ncclGin_CounterInc{0});
    }
    gin.waitCounter(ncclCoopThread(), 0, kAwaited);
    gin.resetCounter(0);  // FAULT
    gin.flush(ncclCoopThread());
  }
  gin.waitSignal(ncclCoopThread(), 0, 2 * kRounds);
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  requirements.ginCounterCount = 1;
  Endpoint endpoint((2 + 2 * kRounds) * kBytes, requirements);
  std::vector<int> values((2 + 2 * kRounds) * kCount);
  for (int i = 0; i < 2 * kCount; i++) values[i] = endpoint.rank * 1000 + i;
  CHECK(cudaMemcpy(endpoint.memory, values.data(), 2 * kBytes, cudaMemcpyHostToDevice));
  endpoint.meet();
  send_pairs<<<1, 1>>>(endpoint.device, endpoint.window);
  CHECK(cudaMemcpy(values.data(), endpoint.memory, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < 2 * kRounds * kCount; i++)
    wrong += values[2 * kCount + i] != (1 - endpoint.rank) * 1000 + i % (2 * kCount);
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
