// Two gathers as a model may write them: FORM says how. The first goes through a kernel of the program's own that
// computes and sends, and through the library where that does not fit; the second through the library.
//   0  host calls, the original
//   1  the library's call is in the other branch
//   2  the kernel's branch returns
//   3  a function of the program's own says whether it launched the kernel
//   4  the kernel has no fallback, and also uses what the second gather brought in the round before
//   5  the kernel has blocks that only send
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#if FORM != 0
#include <cuco/comm.cuh>
#endif

constexpr int kCount = 1 << 12;

__global__ void produce(float* data, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = (float)(seed * 10 + i % 31);
}
__global__ void scale(const float* data, float* part) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[i] = 2 * data[i];
}
__global__ void consume(const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}

struct Job {
  int rank = 0, ranks = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  float *data = nullptr, *part = nullptr, *all = nullptr, *other = nullptr, *others = nullptr, *out = nullptr;
#if FORM != 0
  ncclDevComm dev_comm = {};
  ncclWindow_t window = nullptr;
#endif
};

#if FORM != 0
__global__ void scale_to_peers(ncclDevComm comm, ncclWindow_t window, const float* data, float* part, float* all,
                               const float* others) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  size_t at = (size_t)comm.rank * kCount + i;
#if FORM == 5
  if (blockIdx.x >= kCount / 128) {
    for (int peer = 0; peer < comm.nRanks; peer++)
      if (peer != comm.rank) static_cast<float*>(ncclGetLsaPointer(window, 0, peer))[at % kCount] = part[at % kCount];
    return;
  }
  part[i] = 2 * data[i];
#else
  part[i] = 2 * data[i] + (others != nullptr ? others[i] : 0);
  for (int peer = 0; peer < comm.nRanks; peer++)
    if (peer != comm.rank) static_cast<float*>(ncclGetLsaPointer(window, 0, peer))[at] = part[i];
#endif
  all[at] = part[i];
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void launch_kernel(Job& job) {
  scale_to_peers<<<kCount / 128 + (FORM == 5), 128, 0, job.stream>>>(
      job.dev_comm, job.window, job.data, job.part, job.all, FORM == 4 ? job.others : nullptr);
}

#if FORM != 4
void launch_plain(Job& job) {
  scale<<<kCount / 128, 128, 0, job.stream>>>(job.data, job.part);
  cuco::comm::all_gather(cuco::comm::gin<1>, job.part, job.all, kCount, ncclFloat, job.comm, job.stream);
}
#endif

bool fits(const Job& job) { return job.dev_comm.lsaSize == job.ranks; }

bool tried_kernel(Job& job) {
  if (!fits(job)) return false;
  launch_kernel(job);
  return true;
}
#endif

void first(Job& job) {
#if FORM == 0
  scale<<<kCount / 128, 128, 0, job.stream>>>(job.data, job.part);
  ncclAllGather(job.part, job.all, kCount, ncclFloat, job.comm, job.stream);
#elif FORM == 1 || FORM == 5
  if (fits(job))
    launch_kernel(job);
  else
    launch_plain(job);
#elif FORM == 2
  if (fits(job)) {
    launch_kernel(job);
    return;
  }
  launch_plain(job);
#elif FORM == 3
  if (!tried_kernel(job)) launch_plain(job);
#elif FORM == 4
  launch_kernel(job);
#endif
}

void second(Job& job) {
  produce<<<kCount / 128, 128, 0, job.stream>>>(job.other, job.rank);
#if FORM == 0
  ncclAllGather(job.other, job.others, kCount, ncclFloat, job.comm, job.stream);
#else
  cuco::comm::all_gather(cuco::comm::gin<2>, job.other, job.others, kCount, ncclFloat, job.comm, job.stream);
#endif
  consume<<<kCount / 128, 128, 0, job.stream>>>(job.others, job.out);
}

int main(int argc, char** argv) {
  Job job;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  ncclUniqueId id;
  if (job.rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  cudaSetDevice(job.rank % 2);
  ncclCommInitRank(&job.comm, job.ranks, id, job.rank);
  cudaStreamCreate(&job.stream);
  size_t bytes = kCount * sizeof(float);
  cudaMalloc(&job.data, bytes);
  cudaMalloc(&job.part, bytes);
  cudaMalloc(&job.all, job.ranks * bytes);
  cudaMalloc(&job.other, bytes);
  cudaMalloc(&job.others, job.ranks * bytes);
  cudaMalloc(&job.out, job.ranks * bytes);
#if FORM != 0
  ncclCommWindowRegister(job.comm, job.all, job.ranks * bytes, &job.window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements needs = {};
  needs.lsaBarrierCount = kCount / 128 + 1;
  ncclDevCommCreate(job.comm, &needs, &job.dev_comm);
  cuco::comm::open_all<cuco::comm::Gin>(cuco::comm::Options());
#endif
  produce<<<kCount / 128, 128, 0, job.stream>>>(job.data, job.rank);
  first(job);
  consume<<<kCount / 128, 128, 0, job.stream>>>(job.all, job.out);
  second(job);
  cudaStreamSynchronize(job.stream);
  MPI_Finalize();
}
