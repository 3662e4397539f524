// Power iteration until it converges: a while loop, the norm comes back to the host in every pass.
// expect: loop s1 iterations
// expect: loop s2 iterations
// expect: operation ncclAllGather in main loop=none=none;now - before > 1e-5f || before - now > 1e-5f;none
// expect: producer s1 multiply slice carried
// expect: consumer s1 multiply vector
// expect: producer s2 multiply norm
// expect: consumer s2 cudaMemcpyAsync norm
// expect: overlap s2 ncclAllGather other-iteration
// expect-not: overlap s1 multiply
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void multiply(const float* matrix, const float* vector, float* slice, float* norm, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += matrix[row * n + k] * vector[k];
  slice[row] = sum;
  atomicAdd(norm, sum * sum);
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  const int rows = 4096, n = rows * ranks;
  float *matrix, *vector, *slice, *norm;
  cudaMalloc(&matrix, sizeof(float) * rows * n);
  cudaMalloc(&vector, sizeof(float) * n);
  cudaMalloc(&slice, sizeof(float) * rows);
  cudaMalloc(&norm, sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float before = 0, now = 1;
  while (now - before > 1e-5f || before - now > 1e-5f) {
    before = now;
    ncclAllGather(slice, vector, rows, ncclFloat, comm, stream);
    cudaMemsetAsync(norm, 0, sizeof(float), stream);
    multiply<<<rows / 128, 128, 0, stream>>>(matrix, vector, slice, norm, rows, n);
    ncclAllReduce(norm, norm, 1, ncclFloat, ncclSum, comm, stream);
    cudaMemcpyAsync(&now, norm, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  }
}
