// What the peer sent is added into the vector that is still being sent: the peer's signal says nothing of our put.
// ranks: 2
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

constexpr int kCount = 192;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void all_reduce(ncclDevComm comm, ncclWindow_t vector, ncclWindow_t inbox) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, inbox, 0, vector, 0, kBytes, ncclGin_SignalInc{0},  // FAULT
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 1);
  auto* sum = static_cast<float*>(ncclGetLocalPointer(vector, 0));
  auto* other = static_cast<const float*>(ncclGetLocalPointer(inbox, 0));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) sum[i] += other[i];  // FAULT
  gin.flush(ncclCoopCta());
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  float *vector, *inbox;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&vector), kBytes));
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&inbox), kBytes));
  ncclWindow_t vector_window, inbox_window;
  CHECK(ncclCommWindowRegister(comm, vector, kBytes, &vector_window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(ncclCommWindowRegister(comm, inbox, kBytes, &inbox_window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = (rank + 1) * 0.5f * i;
  CHECK(cudaMemcpy(vector, values.data(), kBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  all_reduce<<<1, 96>>>(dev_comm, vector_window, inbox_window);
  CHECK(cudaMemcpy(values.data(), vector, kBytes, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += values[i] != 1.5f * i;
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, vector_window));
  CHECK(ncclCommWindowDeregister(comm, inbox_window));
  CHECK(ncclMemFree(vector));
  CHECK(ncclMemFree(inbox));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
