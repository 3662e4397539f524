// Managed memory cannot be a window; the device buffer beside it can.
// expect: buffer shared_field managed bytes=4194304 frees=1
// expect: staged s1 `shared_field` is managed memory, which cannot be a window
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect: window plain
// expect-not: window shared_field
// expect: producer s1 smooth shared_field
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void smooth(double* field, double* plain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n) plain[i] = field[i] = 0.5 * (field[i] + field[i - 1]);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 19;
  double *shared_field, *plain;
  cudaMallocManaged(&shared_field, n * sizeof(double));
  cudaMalloc(&plain, n * sizeof(double));
  for (int i = 0; i < n; ++i) shared_field[i] = i;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  smooth<<<n / 256, 256, 0, stream>>>(shared_field, plain, n);
  ncclAllReduce(shared_field, shared_field, n, ncclDouble, ncclSum, comm, stream);
  ncclAllReduce(plain, plain, n, ncclDouble, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  cudaFree(shared_field);
}
