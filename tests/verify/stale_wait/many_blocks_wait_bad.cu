// The receiving blocks are given the round's index where its number is wanted, and wait for the round before.
// ranks: 2
// nodes: 2
// expect-finding: stale_wait
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

constexpr int kBlocks = 4;
constexpr int kThreads = 32;
constexpr int kCount = kBlocks * kThreads;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void send(ncclDevComm comm, ncclWindow_t window, int round) {
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) own[i] = 1000 * round + 10 * i + comm.rank;
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0},  // FAULT
          ncclGin_None{}, ncclCoopCta());
  gin.flush(ncclCoopCta());
}

__global__ void add(ncclDevComm comm, ncclWindow_t window, int* sums, uint64_t least) {
  ncclGin{comm, 0}.waitSignal(ncclCoopCta(), 0, least);  // FAULT
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] += static_cast<int*>(ncclGetLocalPointer(window, kBytes))[i];  // FAULT
}

// Nothing may be under way when the windows go.
__global__ void drain(ncclDevComm comm, uint64_t total) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, total); }

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  Endpoint endpoint(2 * kBytes, requirements);
  int* sums;
  CHECK(cudaMalloc(&sums, kBytes));
  CHECK(cudaMemset(sums, 0, kBytes));
  for (int round = 0; round < 3; round++) {
    send<<<1, 64>>>(endpoint.device, endpoint.window, round);
    add<<<kBlocks, kThreads>>>(endpoint.device, endpoint.window, sums, round);
    add<<<kBlocks, kThreads>>>(endpoint.device, endpoint.window, sums, round);
    endpoint.meet();
  }
  drain<<<1, 1>>>(endpoint.device, 3);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpy(got.data(), sums, kBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != 2 * (3000 + 3 * (10 * i + 1 - endpoint.rank));
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  CHECK(cudaFree(sums));
  return wrong != 0;
}
