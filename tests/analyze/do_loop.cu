// Breadth-first search: at least one level, then on while any rank found something.
// expect: loop s1 iterations
// expect: loop s2 iterations
// expect: site s1 ncclAllReduce send=frontier recv=frontier count=vertices type=ncclUint8 comm=comm stream=s op=ncclMax in-place
// expect: site s2 ncclAllReduce send=found recv=found count=1 type=ncclInt comm=comm stream=s op=ncclSum in-place
// expect: producer s1 expand frontier
// expect: consumer s1 expand frontier carried
// expect: kernel expand edges:read frontier:read_write found:read_write
// expect: producer s2 expand found
// expect-not: overlap s1 expand
// expect: overlap s1 ncclAllReduce
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdint.h>
#include <stdlib.h>

__global__ void expand(const int* edges, uint8_t* frontier, int* found, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !frontier[v] || frontier[edges[v]]) return;
  frontier[edges[v]] = 1;
  atomicAdd(found, 1);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int vertices = 1 << 20;
  int *edges, *found, more;
  uint8_t* frontier;
  cudaMalloc(&edges, vertices * sizeof(int));
  cudaMalloc(&frontier, vertices);
  cudaMalloc(&found, sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  do {
    cudaMemsetAsync(found, 0, sizeof(int), s);
    expand<<<vertices / 256, 256, 0, s>>>(edges, frontier, found, vertices);
    ncclAllReduce(frontier, frontier, vertices, ncclUint8, ncclMax, comm, s);
    ncclAllReduce(found, found, 1, ncclInt, ncclSum, comm, s);
    cudaMemcpyAsync(&more, found, sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
  } while (more > 0);
}
