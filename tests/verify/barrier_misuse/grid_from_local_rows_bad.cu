// The number of blocks comes from the local row count; ranks with more rows have blocks that nobody meets.
// ranks: 2
// expect-finding: barrier_misuse
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

constexpr int kRowsPerBlock = 8;
constexpr int kColumns = 16;
constexpr int kBlocksMax = 4;
constexpr size_t kBytes = kBlocksMax * kRowsPerBlock * kColumns * sizeof(int);

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), MPI_Abort(MPI_COMM_WORLD, 1), (void)0))

int rows_of(int rank) { return rank == 0 ? 17 : 30; }

// Every rank stores its rows into the peer's window.
__global__ void exchange_rows(ncclDevComm comm, ncclWindow_t window, int rows) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  auto* there = static_cast<int*>(ncclGetLsaPointer(window, 0, 1 - comm.lsaRank));
  int end = min(rows, static_cast<int>(blockIdx.x + 1) * kRowsPerBlock) * kColumns;
  for (int i = blockIdx.x * kRowsPerBlock * kColumns + threadIdx.x; i < end; i += blockDim.x)
    there[i] = comm.rank * 10000 + i;
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);  // FAULT
}

void launch(const ncclDevComm& dev_comm, ncclWindow_t window, int rank) {
  int rows = rows_of(rank);
  int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;  // FAULT
  exchange_rows<<<blocks, 64>>>(dev_comm, window, rows);    // FAULT
  CHECK(cudaDeviceSynchronize());                           // FAULT
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  int* memory;
  ncclWindow_t window;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kBytes));
  CHECK(ncclCommWindowRegister(comm, memory, kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = kBlocksMax;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  launch(dev_comm, window, rank);
  std::vector<int> got(rows_of(1 - rank) * kColumns);
  CHECK(cudaMemcpy(got.data(), memory, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (size_t i = 0; i < got.size(); i++) wrong += got[i] != (1 - rank) * 10000 + static_cast<int>(i);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
