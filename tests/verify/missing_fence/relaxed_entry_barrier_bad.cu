// The input is made inside the reading kernel, so the relaxed barrier at its entry no longer covers it.
// ranks: 2
// expect-finding: missing_fence
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

constexpr int kCount = 128;

__device__ void make_input(float* own, int rank) { own[threadIdx.x] = (rank + 1) * 0.25f * threadIdx.x; }  // FAULT

__global__ void all_reduce(ncclDevComm comm, ncclWindow_t window, float* out) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  make_input(static_cast<float*>(ncclGetLocalPointer(window, 0)), comm.rank);
  barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);  // FAULT
  float sum = 0;
  for (int peer = 0; peer < comm.nRanks; peer++)
    sum += static_cast<const float*>(ncclGetLsaPointer(window, 0, peer))[threadIdx.x];  // FAULT
  out[threadIdx.x] = sum;
  barrier.sync(ncclCoopCta(), cuda::memory_order_release);
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  float *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kCount * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  all_reduce<<<1, kCount, 0, stream>>>(dev_comm, window, out);
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> got(kCount);
  CHECK(cudaMemcpy(got.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != 0.75f * i;
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
