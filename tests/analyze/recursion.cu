// Recursive halving: the site is found once, and it is said that the recursion is not followed.
// expect-count: 2 site s
// expect-warning: the recursive call of halve is not followed
// expect: site s1 ncclSend send=data recv=none count=half type=ncclFloat comm=comm stream=stream peer=partner
// expect: group s1 pairwise
// expect: consumer s2 add other
// expect: convertible s1 yes
// expect: loop s1 none
// expect-not: loop s1 iterations
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void add(float* data, const float* other, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) data[i] += other[i];
}

struct Ring {
  int rank;
  ncclComm_t comm;
  cudaStream_t stream;
};

void halve(float* data, float* other, size_t count, int distance, const Ring& ring) {
  if (distance == 0) return;
  int partner = ring.rank ^ distance;
  size_t half = count / 2;
  ncclGroupStart();
  ncclSend(data, half, ncclFloat, partner, ring.comm, ring.stream);
  ncclRecv(other, half, ncclFloat, partner, ring.comm, ring.stream);
  ncclGroupEnd();
  add<<<half / 256, 256, 0, ring.stream>>>(data, other, half);
  halve(data, other, half, distance / 2, ring);
}

int main(int, char** argv) {
  Ring ring;
  ring.rank = atoi(argv[1]);
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclComm_t comm;
  ncclCommInitRank(&comm, 8, id, ring.rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ring.comm = comm;
  ring.stream = stream;
  float *data, *other;
  cudaMalloc(&data, (1 << 20) * sizeof(float));
  cudaMalloc(&other, (1 << 20) * sizeof(float));
  halve(data, other, 1 << 20, 4, ring);
  cudaStreamSynchronize(stream);
}
