// Each launch sets the shadow back to zero, but the signal keeps what earlier launches received.
// ranks: 4
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

constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void all_to_all(ncclDevComm comm, ncclWindow_t window, int round) {
  ncclGin gin{comm, 0};
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, 0};
  const int n = comm.nRanks;
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int i = threadIdx.x; i < n * kCount; i += blockDim.x) own[i] = round * 10000 + comm.rank * 1000 + i;
  if (threadIdx.x == 0) *gin.getSignalShadowPtr(0) = 0;
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  if (threadIdx.x < n) {
    size_t from = threadIdx.x * kBytes, to = (n + comm.rank) * kBytes;
    gin.put(ncclTeamWorld(comm), threadIdx.x, window, to, window, from, kBytes, ncclGin_SignalInc{0});  // FAULT
  }
  if (threadIdx.x == 0) gin.increaseSignalShadow(0, n);
  gin.waitSignalMeetShadow(ncclCoopCta(), 0);  // FAULT
  gin.flush(ncclCoopCta());
}

// Nothing may be under way when the windows go.
__global__ void drain(ncclDevComm comm, uint64_t total) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, total); }

int main() {
  ncclDevCommRequirements requirements{};
  requirements.barrierCount = 1;
  requirements.ginSignalCount = 1;
  Endpoint endpoint(2 * 4 * kBytes, requirements);
  long wrong = 0;
  for (int round = 0; round < 3; round++) {
    all_to_all<<<1, 64>>>(endpoint.device, endpoint.window, round);
    std::vector<int> got(4 * kCount);
    CHECK(cudaMemcpy(got.data(), endpoint.memory + 4 * kCount, 4 * kBytes, cudaMemcpyDeviceToHost));  // FAULT
    for (int i = 0; i < 4 * kCount; i++)
      wrong += got[i] != round * 10000 + i / kCount * 1000 + endpoint.rank * kCount + i % kCount;
    endpoint.meet();
  }
  drain<<<1, 1>>>(endpoint.device, 3 * endpoint.size);
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
