// While the lower rows are on their way they are read, and only the rows above them are recomputed.
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

constexpr int kRows = 8;
constexpr int kSent = 3;
constexpr int kWidth = 32;
constexpr size_t kRowBytes = kWidth * sizeof(int);
constexpr int kFirst = kSent;

// Rows 0 .. kRows - 1 are the field, rows kRows .. kRows + kSent - 1 what the peer sends.
__global__ void overlap(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  auto* field = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int row = 0; row < kRows; row++) field[row * kWidth + threadIdx.x] = row * 100 + threadIdx.x;
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kRows * kRowBytes, window, 0, kSent * kRowBytes,
          ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
  int border = field[(kSent - 1) * kWidth + threadIdx.x];
  for (int row = kFirst; row < kRows; row++) field[row * kWidth + threadIdx.x] = border + row;
  gin.waitSignal(ncclCoopCta(), 0, 1);
  gin.flush(ncclCoopCta());
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  Endpoint endpoint((kRows + kSent) * kRowBytes, requirements);
  overlap<<<1, kWidth>>>(endpoint.device, endpoint.window);
  std::vector<int> got((kRows + kSent) * kWidth);
  CHECK(cudaMemcpy(got.data(), endpoint.memory, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kWidth; i++) {
    for (int row = kFirst; row < kRows; row++) wrong += got[row * kWidth + i] != (kSent - 1) * 100 + i + row;
    for (int row = 0; row < kSent; row++) wrong += got[(kRows + row) * kWidth + i] != row * 100 + i;
  }
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
