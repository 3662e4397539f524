// Communication that is device-initiated already: peers' windows are read directly between two barriers.
// expect: device-comm all_reduce_lsa lsa_pointer ncclGetLsaPointer
// expect-count: 2 device-comm all_reduce_lsa lsa_barrier ncclLsaBarrierSession::sync
// expect-not: device-comm backward
// expect-not: gin_
// expect: buffer grads nccl_memory bytes=4194304 frees=1
// expect-count: 0 site s
// expect: operation ncclCommWindowRegister in main
// expect: operation ncclDevCommCreate in main
// expect: launch all_reduce_lsa grid=kBlocks block=256 shared=0 stream=stream
// expect: region first_to_last
// expect-not: convertible
// expect-not: window grads
// expect-not: warning
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

constexpr int kBlocks = 16;

__global__ void backward(float* grads, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) grads[i] = i;
}

__global__ void all_reduce_lsa(ncclWindow_t window, size_t count, ncclDevComm comm) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  int ranks = comm.lsaSize, rank = comm.lsaRank;
  size_t stride = size_t{gridDim.x} * blockDim.x * ranks;
  for (size_t i = (blockIdx.x * blockDim.x + threadIdx.x) * size_t(ranks) + rank; i < count; i += stride) {
    float sum = 0;
    for (int peer = 0; peer < ranks; ++peer) sum += static_cast<float*>(ncclGetLsaPointer(window, 0, peer))[i];
    for (int peer = 0; peer < ranks; ++peer) static_cast<float*>(ncclGetLsaPointer(window, 0, peer))[i] = sum;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_release);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const size_t count = 1 << 20;
  void* grads;
  ncclMemAlloc(&grads, count * sizeof(float));
  ncclWindow_t window;
  ncclCommWindowRegister(comm, grads, count * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements requirements = {};
  requirements.lsaBarrierCount = kBlocks;
  ncclDevComm device_comm;
  ncclDevCommCreate(comm, &requirements, &device_comm);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  backward<<<kBlocks, 256, 0, stream>>>(static_cast<float*>(grads), count);
  all_reduce_lsa<<<kBlocks, 256, 0, stream>>>(window, count, device_comm);
  cudaStreamSynchronize(stream);
  ncclDevCommDestroy(comm, &device_comm);
  ncclCommWindowDeregister(comm, window);
  ncclMemFree(grads);
  MPI_Finalize();
}
