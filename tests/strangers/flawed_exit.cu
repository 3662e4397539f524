// stranger: a flaw: the tolerance of the check is too tight for single precision, so the program ends with 1 though it works
// ranks: 2
// arguments: 4096
// expect-output: Verification: FAILED
// expect-exit: 1
// convert: lsa gin
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HANDLE(x) (handle(x, __FILE__, __LINE__))
static void handle(int code, const char* file, int line) {
  if (code != 0) {
    printf("%d in %s at line %d\n", code, file, line);
    exit(EXIT_FAILURE);
  }
}

__global__ void harmonic(float* x, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f / (first + i + 1);
}

__global__ void block_sum(const float* x, float* sum, int n) {
  extern __shared__ float part[];
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = part[0];
}

int main(int argc, char** argv) {
  HANDLE(MPI_Init(&argc, &argv));
  int rank, size, n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  HANDLE(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  HANDLE(MPI_Comm_size(MPI_COMM_WORLD, &size));
  n /= size;
  HANDLE(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) HANDLE(ncclGetUniqueId(&id));
  HANDLE(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  HANDLE(ncclCommInitRank(&comm, size, id, rank));
  float *x, *sum, host;
  HANDLE(cudaMalloc(&x, n * sizeof(float)));
  HANDLE(cudaMalloc(&sum, sizeof(float)));
  double t = MPI_Wtime();
  harmonic<<<(n + 127) / 128, 128>>>(x, n, rank * n);
  block_sum<<<1, 128, 128 * sizeof(float)>>>(x, sum, n);
  HANDLE(ncclAllReduce(sum, sum, 1, ncclFloat, ncclSum, comm, 0));
  HANDLE(cudaDeviceSynchronize());
  t = MPI_Wtime() - t;
  HANDLE(cudaMemcpy(&host, sum, sizeof(float), cudaMemcpyDeviceToHost));
  double reference = 0;
  for (int i = n * size; i > 0; i--) reference += 1.0 / i;
  bool passed = std::fabs(host - reference) < 1e-12;
  if (rank == 0) printf("%.3f ms, difference %.3e\nVerification: %s\n", 1e3 * t, std::fabs(host - reference), passed ? "PASSED" : "FAILED");
  HANDLE(cudaFree(x));
  HANDLE(cudaFree(sum));
  HANDLE(ncclCommDestroy(comm));
  HANDLE(MPI_Finalize());
  return passed ? 0 : 1;
}
