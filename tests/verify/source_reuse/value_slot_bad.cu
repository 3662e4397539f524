// Each value is written to one word of the window and sent from there, and the word is rewritten for the next peer.
// ranks: 4
// nodes: 2
// expect-finding: source_reuse
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

__global__ void send_offsets(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  const size_t word = sizeof(long long);
  auto* offset = static_cast<long long*>(ncclGetLocalPointer(window, 0));
  for (int peer = 0; peer < comm.nRanks; peer++) {
    size_t to = (1 + comm.rank) * word;
    *offset = 100 * comm.rank + peer;                                                       // FAULT
    gin.put(ncclTeamWorld(comm), peer, window, to, window, 0, word, ncclGin_SignalInc{0});  // FAULT
  }
  gin.waitSignal(ncclCoopThread(), 0, comm.nRanks);
  gin.flush(ncclCoopThread());
}

int main() {
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  Endpoint endpoint(5 * sizeof(long long), requirements);
  send_offsets<<<1, 1>>>(endpoint.device, endpoint.window);
  long long got[5];
  CHECK(cudaMemcpy(got, endpoint.memory, sizeof got, cudaMemcpyDeviceToHost));
  long wrong = got[0] != 100 * endpoint.rank + endpoint.size - 1;
  for (int peer = 0; peer < endpoint.size; peer++) wrong += got[1 + peer] != 100 * peer + endpoint.rank;
  std::printf("rank %d: %ld wrong\n", endpoint.rank, wrong);
  return wrong != 0;
}
