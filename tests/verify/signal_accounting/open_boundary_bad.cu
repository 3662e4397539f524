// The domain is open, yet the outer ranks send their edge around the ring: signals arrive that nobody waits for.
// ranks: 4
// nodes: 2
// expect-finding: signal_accounting
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if (int code = static_cast<int>(call)) {              \
      std::fprintf(stderr, "%s gives %d\n", #call, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                       \
    }                                                     \
  } while (0)

static ncclComm_t connect(int* rank, int* count) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(*rank % devices));
  ncclUniqueId id;
  if (*rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, *count, id, *rank));
  return comm;
}

constexpr int kCells = 64;
enum Side : ncclGinSignal_t { kFromWest = 0, kFromEast = 1, kClosed = 2 };

// Cells 1 .. kCells are owned, 0 and kCells + 1 are halo.
__global__ void trade_edges(ncclDevComm comm, ncclWindow_t field) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  const int n = comm.nRanks, west = (comm.rank + n - 1) % n, east = (comm.rank + 1) % n;
  const bool has_west = comm.rank > 0, has_east = comm.rank + 1 < n;
  const size_t cell = sizeof(float);
  gin.put(world, west, field, (kCells + 1) * cell, field, cell, cell, ncclGin_SignalInc{kFromEast});  // FAULT
  gin.put(world, east, field, 0, field, kCells * cell, cell, ncclGin_SignalInc{kFromWest});           // FAULT
  if (has_west) gin.waitSignal(ncclCoopThread(), kFromWest, 1);                                       // FAULT
  if (has_east) gin.waitSignal(ncclCoopThread(), kFromEast, 1);                                       // FAULT
  gin.flush(ncclCoopThread());
}

// Meets both neighbours around the ring: nothing is under way when the window goes.
__global__ void close(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  const int n = comm.nRanks;
  gin.signal(ncclTeamWorld(comm), (comm.rank + n - 1) % n, ncclGin_SignalInc{kClosed});
  gin.signal(ncclTeamWorld(comm), (comm.rank + 1) % n, ncclGin_SignalInc{kClosed});
  gin.waitSignal(ncclCoopThread(), kClosed, 2);
}

__global__ void average(const float* field, float* out, bool has_west, bool has_east) {
  int i = threadIdx.x + 1;
  float left = i > 1 || has_west ? field[i - 1] : field[i];
  float right = i < kCells || has_east ? field[i + 1] : field[i];
  out[threadIdx.x] = left + right;
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  const size_t bytes = (kCells + 2) * sizeof(float);
  float *field, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&field), bytes));
  CHECK(cudaMalloc(&out, kCells * sizeof(float)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, field, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<float> values(kCells + 2);
  for (int i = 1; i <= kCells; i++) values[i] = static_cast<float>(rank * kCells + i);
  CHECK(cudaMemcpy(field, values.data(), bytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 3;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  trade_edges<<<1, 1>>>(dev_comm, window);
  average<<<1, kCells>>>(field, out, rank > 0, rank + 1 < count);
  std::vector<float> got(kCells);
  CHECK(cudaMemcpy(got.data(), out, kCells * sizeof(float), cudaMemcpyDeviceToHost));
  close<<<1, 1>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (int i = 0; i < kCells; i++) {
    float center = static_cast<float>(rank * kCells + i + 1), want = 2 * center;
    if (rank == 0 && i == 0) want += 1;
    if (rank == count - 1 && i == kCells - 1) want -= 1;
    wrong += got[i] != want;
  }
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(field));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
