// Kernels and functions that main never reaches: the kernels are listed, nothing they or dead functions do is work.
// expect: kernel used data:write
// expect: kernel experimental data:read_write
// expect-count: 1 launch
// expect-not: launch experimental
// expect-count: 1 site s
// expect-not: ncclBroadcast
// expect-not: overlap
// expect: producer s1 used data
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void used(int* data) { data[threadIdx.x] = threadIdx.x; }
__global__ void experimental(int* data) { data[threadIdx.x] += 1; }

[[maybe_unused]] static void abandoned(int* data, ncclComm_t comm, cudaStream_t stream) {
  experimental<<<1, 32, 0, stream>>>(data);
  ncclBroadcast(data, data, 32, ncclInt, 0, comm, stream);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  used<<<1, 32, 0, stream>>>(data);
  ncclAllReduce(data, data, 32, ncclInt, ncclProd, comm, stream);
  cudaStreamSynchronize(stream);
  if (false) abandoned(data, comm, stream);
}
