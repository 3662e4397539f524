// The signal rides on the second put only; it covers the first too, which went to the same peer on the same context.
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

constexpr int kCount = 128;
constexpr size_t kReceive = kCount * sizeof(int);
constexpr size_t kLength = 2 * kReceive;

__global__ void send(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  gin.put(world, 1, window, kReceive, window, 0, kCount * sizeof(int));
  gin.putValue(world, 1, window, kLength, kCount, ncclGin_SignalInc{0});
  gin.flush(ncclCoopThread());
}

__global__ void receive(ncclDevComm comm, ncclWindow_t window, int* out) {
  auto* length = static_cast<volatile int*>(ncclGetLocalPointer(window, kLength));
  auto* cells = static_cast<int*>(ncclGetLocalPointer(window, kReceive));
  ncclGin{comm, 0}.waitSignal(ncclCoopCta(), 0, 1);
  if (threadIdx.x < *length) out[threadIdx.x] = cells[threadIdx.x] + 1;
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  long wrong = 0;
  Endpoint endpoint(kLength + sizeof(int), requirements);
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = 3 * i;
  if (endpoint.rank == 0) {
    CHECK(cudaMemcpy(endpoint.memory, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
    send<<<1, 1>>>(endpoint.device, endpoint.window);
    CHECK(cudaDeviceSynchronize());
  } else {
    int* out;
    CHECK(cudaMalloc(&out, kCount * sizeof(int)));
    CHECK(cudaMemset(out, 0, kCount * sizeof(int)));
    receive<<<1, kCount>>>(endpoint.device, endpoint.window, out);
    CHECK(cudaMemcpy(values.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kCount; i++) wrong += values[i] != 3 * i + 1;
    CHECK(cudaFree(out));
  }
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
