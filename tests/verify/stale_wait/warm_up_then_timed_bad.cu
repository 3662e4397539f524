// The timed rounds count from zero again although the warm-up rounds have already raised the signal.
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

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void fill(int* own, int rank, int tag) { own[threadIdx.x] = rank * 100000 + tag * 100 + threadIdx.x; }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, uint64_t least) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0});  // FAULT
  gin.flush(ncclCoopThread());
  gin.waitSignal(ncclCoopThread(), 0, least);  // FAULT
}

// Nothing may be under way when the windows go.
__global__ void drain(ncclDevComm comm, uint64_t total) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, total); }

class Benchmark {
 public:
  explicit Benchmark(Endpoint& endpoint) : endpoint_(endpoint) {}

  long run(int rounds) {
    long wrong = 0;
    for (int round = 0; round < rounds; round++) wrong += run_once(round);
    return wrong;
  }

 private:
  long run_once(int round) {
    fill<<<1, kCount>>>(endpoint_.memory, endpoint_.rank, tag_);
    exchange<<<1, 1>>>(endpoint_.device, endpoint_.window, round + 1);
    std::vector<int> got(kCount);
    CHECK(cudaMemcpy(got.data(), endpoint_.memory + kCount, kBytes, cudaMemcpyDeviceToHost));  // FAULT
    long wrong = 0;
    for (int i = 0; i < kCount; i++) wrong += got[i] != (1 - endpoint_.rank) * 100000 + tag_ * 100 + i;
    tag_++;
    endpoint_.meet();
    return wrong;
  }

  Endpoint& endpoint_;
  int tag_ = 0;
};

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  Endpoint endpoint(2 * kBytes, requirements);
  Benchmark benchmark(endpoint);
  long wrong = benchmark.run(3);
  wrong += benchmark.run(2);
  drain<<<1, 1>>>(endpoint.device, 5);
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
