// Every thread sends its row, but thread 0 alone flushes, and as a single thread: that covers its own puts only.
// ranks: 4
// nodes: 2
// expect-finding: source_reuse
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

constexpr int kRow = 16;
constexpr size_t kRowBytes = kRow * sizeof(int);

// Row p of `rows` goes to row `rank` of peer p's inbox; afterwards the rows are cleared, each thread a column.
__global__ void scatter_rows(ncclDevComm comm, ncclWindow_t rows, ncclWindow_t inbox) {
  ncclGin gin{comm, 0};
  const int peer = threadIdx.x;
  if (peer < comm.nRanks)
    gin.put(ncclTeamWorld(comm), peer, inbox, comm.rank * kRowBytes, rows, peer * kRowBytes, kRowBytes,  // FAULT
            ncclGin_SignalInc{0});
  if (threadIdx.x == 0) gin.flush(ncclCoopThread());  // FAULT
  __syncthreads();
  auto* cells = static_cast<int*>(ncclGetLocalPointer(rows, 0));
  if (threadIdx.x < kRow)
    for (int row = 0; row < comm.nRanks; row++) cells[row * kRow + threadIdx.x] = 0;  // FAULT
  gin.waitSignal(ncclCoopCta(), 0, comm.nRanks);
  gin.flush(ncclCoopCta());
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  int *rows, *inbox;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&rows), count * kRowBytes));
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&inbox), count * kRowBytes));
  ncclWindow_t row_window, inbox_window;
  CHECK(ncclCommWindowRegister(comm, rows, count * kRowBytes, &row_window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(ncclCommWindowRegister(comm, inbox, count * kRowBytes, &inbox_window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(count * kRow);
  for (int i = 0; i < count * kRow; i++) values[i] = (rank + 1) * 1000 + i;
  CHECK(cudaMemcpy(rows, values.data(), count * kRowBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  scatter_rows<<<1, 32>>>(dev_comm, row_window, inbox_window);
  CHECK(cudaMemcpy(values.data(), inbox, count * kRowBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < count * kRow; i++) wrong += values[i] != (i / kRow + 1) * 1000 + rank * kRow + i % kRow;
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, row_window));
  CHECK(ncclCommWindowDeregister(comm, inbox_window));
  CHECK(ncclMemFree(rows));
  CHECK(ncclMemFree(inbox));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
