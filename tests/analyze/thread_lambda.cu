// Ranks are threads of one process, each running a lambda that captures what they share.
// expect: ranks threads
// expect: site s1 ncclAllReduce send=values recv=values count=kCount type=ncclInt comm=comm stream=stream op=ncclMin in-place
// expect: producer s1 propose values
// expect: consumer s1 cudaMemcpy values
// expect: buffer values device bytes=16384 frees=1
// expect: communicator comm init_rank ranks=ranks parent=none
// expect: output values
// expect-not: ranks mpi
// expect-count: 1 site s
// expect: paths s1 1
// expect-not: overlap s1 propose
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <nccl.h>

#include <thread>
#include <vector>

constexpr int kCount = 4096;

__global__ void propose(int* values, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = (i * 31 + rank * 17) % kCount;
}

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<int> elected(ranks);
  auto work = [&](int rank) {
    cudaSetDevice(rank);
    ncclComm_t comm;
    ncclCommInitRank(&comm, ranks, id, rank);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* values;
    cudaMalloc(&values, kCount * sizeof(int));
    propose<<<kCount / 256, 256, 0, stream>>>(values, rank);
    ncclAllReduce(values, values, kCount, ncclInt, ncclMin, comm, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(&elected[rank], values, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(values);
    ncclCommDestroy(comm);
  };
  std::thread threads[8];
  for (int rank = 0; rank < ranks; ++rank) threads[rank] = std::thread(work, rank);
  for (int rank = 0; rank < ranks; ++rank) threads[rank].join();
}
