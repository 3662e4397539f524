// The flag is volatile, which keeps the compiler from moving it but not the hardware: there is no fence before it.
// ranks: 4
// expect-finding: missing_fence
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

// Cells 0 .. kCount - 1 come from the left neighbour, cell kCount is its flag.
__global__ void pass_on(ncclDevComm comm, ncclWindow_t window, int* out) {
  const int next = (comm.rank + 1) % comm.nRanks;
  auto* theirs = static_cast<int*>(ncclGetLsaPointer(window, 0, next));
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  volatile int* raised = theirs + kCount;
  volatile int* seen = own + kCount;
  theirs[threadIdx.x] = comm.rank * 100 + threadIdx.x;  // FAULT
  __syncthreads();
  if (threadIdx.x == 0) {
    *raised = 1;                  // FAULT
    while (*seen == 0) continue;  // FAULT
    __threadfence_system();
  }
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x];  // FAULT
}

int main() {
  Endpoint endpoint((kCount + 1) * sizeof(int), ncclDevCommRequirements{});
  int* out;
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  pass_on<<<1, kCount>>>(endpoint.device, endpoint.window, out);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  const int left = (endpoint.rank + endpoint.size - 1) % endpoint.size;
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != left * 100 + i;
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  CHECK(cudaFree(out));
  return wrong != 0;
}
