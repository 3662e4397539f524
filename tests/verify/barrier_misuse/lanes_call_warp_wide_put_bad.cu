// One lane a peer calls a put that is declared for the whole warp; the other lanes never come.
// ranks: 4
// nodes: 2
// expect-finding: barrier_misuse
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), MPI_Abort(MPI_COMM_WORLD, 1), (void)0))

constexpr int kElements = 40;
constexpr size_t kBytes = kElements * sizeof(float);

__global__ void all_gather(ncclDevComm comm, ncclWindow_t window, size_t source_at) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x < comm.nRanks)
    gin.put(world, threadIdx.x, window, comm.rank * kBytes, window, source_at, kBytes, ncclGin_SignalInc{0},  // FAULT
            ncclGin_None{}, ncclCoopWarp());                                                                  // FAULT
  gin.waitSignal(ncclCoopWarp(), 0, comm.nRanks);                                                             // FAULT
  gin.flush(ncclCoopWarp());
}

int local_rank(int rank) {
  MPI_Comm node;
  int local = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  return local;
}

int run(ncclComm_t comm, int rank, int count) {
  float* memory;
  ncclWindow_t window;
  const size_t bytes = (count + 1) * kBytes;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
  CHECK(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  std::vector<float> own(kElements, static_cast<float>(rank)), got(count * kElements);
  CHECK(cudaMemcpy(memory + count * kElements, own.data(), kBytes, cudaMemcpyHostToDevice));
  all_gather<<<1, 32>>>(dev_comm, window, count * kBytes);
  CHECK(cudaMemcpy(got.data(), memory, count * kBytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < count * kElements; i++) wrong += got[i] != static_cast<float>(i / kElements);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  CHECK(cudaSetDevice(local_rank(rank)));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  int wrong = run(comm, rank, count);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
