// stranger: a bandwidth sweep as benchmarks do it: sizes double, a warm-up before each, clock_gettime around the loop, a line a size
// ranks: 2
// arguments: -b 64 -e 512 -n 2 -c 1
// expect-output: Out of bounds values : 0 OK
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static size_t minbytes = 1024, maxbytes = 64 << 20;
static int factor = 2, iters = 20, warmup_iters = 2, datacheck = 1;
static int proc = 0, nprocs = 1;

#define MUST(cmd, good, text) do { int res_ = (int)(cmd); if (res_ != (int)(good)) { \
  fprintf(stderr, "%d: %s failure %s:%d: %d\n", proc, text, __FILE__, __LINE__, res_); exit(EXIT_FAILURE); } } while (0)
#define CUDACHECK(cmd) MUST(cmd, cudaSuccess, "Cuda")
#define NCCLCHECK(cmd) MUST(cmd, ncclSuccess, "NCCL")

__global__ void init_data(float* data, size_t count, int rank) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    data[i] = (float)((i + 1) % 64 * (rank + 1));
}

__global__ void count_errors(const float* data, size_t count, int ranks, unsigned long long* errors) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    if (data[i] != (float)((i + 1) % 64 * (ranks * (ranks + 1) / 2))) atomicAdd(errors, 1ull);
}

static double now_us(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return 1e6 * ts.tv_sec + 1e-3 * ts.tv_nsec;
}

static size_t parse_size(const char* text) {
  size_t size;
  char unit = 0;
  if (sscanf(text, "%zu%c", &size, &unit) < 1) exit(2);
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size;
}

static void run_size(size_t bytes, float* send, float* recv, unsigned long long* errors, ncclComm_t comm, cudaStream_t stream, unsigned long long* total) {
  size_t count = bytes / sizeof(float);
  init_data<<<16, 128, 0, stream>>>(send, count, proc);
  for (int i = 0; i < warmup_iters; i++) NCCLCHECK(ncclAllReduce(send, recv, count, ncclFloat, ncclSum, comm, stream));
  CUDACHECK(cudaStreamSynchronize(stream));
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = now_us();
  for (int i = 0; i < iters; i++) NCCLCHECK(ncclAllReduce(send, recv, count, ncclFloat, ncclSum, comm, stream));
  CUDACHECK(cudaStreamSynchronize(stream));
  double us = (now_us() - begin) / iters, slowest;
  MPI_Reduce(&us, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  unsigned long long wrong = 0;
  if (datacheck) {
    CUDACHECK(cudaMemsetAsync(errors, 0, sizeof(*errors), stream));
    count_errors<<<16, 128, 0, stream>>>(recv, count, nprocs, errors);
    CUDACHECK(cudaMemcpyAsync(&wrong, errors, sizeof(wrong), cudaMemcpyDeviceToHost, stream));
    CUDACHECK(cudaStreamSynchronize(stream));
  }
  *total += wrong;
  double algbw = bytes / slowest * 1e-3;
  if (proc == 0) printf("%12zu %12zu %9s %8s %10.2f %8.2f %8.2f %6llu\n", bytes, count, "float", "sum", slowest, algbw, algbw * 2 * (nprocs - 1) / nprocs, wrong);
}

int main(int argc, char* argv[]) {
  int c;
  MPI_Init(&argc, &argv);
  while ((c = getopt(argc, argv, "b:e:f:n:w:c:")) != -1) {
    switch (c) {
      case 'b': minbytes = parse_size(optarg); break;
      case 'e': maxbytes = parse_size(optarg); break;
      case 'f': factor = atoi(optarg); break;
      case 'n': iters = atoi(optarg); break;
      case 'w': warmup_iters = atoi(optarg); break;
      case 'c': datacheck = atoi(optarg); break;
      default: return 2;
    }
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &proc);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  CUDACHECK(cudaSetDevice(proc));
  ncclUniqueId id;
  if (proc == 0) NCCLCHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCLCHECK(ncclCommInitRank(&comm, nprocs, id, proc));
  float *send, *recv;
  unsigned long long *errors, total = 0;
  CUDACHECK(cudaMalloc(&send, maxbytes));
  CUDACHECK(cudaMalloc(&recv, maxbytes));
  CUDACHECK(cudaMalloc(&errors, sizeof(*errors)));
  cudaStream_t stream;
  CUDACHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (proc == 0) printf("#%11s %12s %9s %8s %10s %8s %8s %6s\n", "size", "count", "type", "redop", "time", "algbw", "busbw", "#wrong");
  for (size_t bytes = minbytes; bytes <= maxbytes; bytes *= factor) run_size(bytes, send, recv, errors, comm, stream, &total);
  if (proc == 0) printf("# Out of bounds values : %llu %s\n", total, total ? "FAILED" : "OK");
  CUDACHECK(cudaFree(send));
  CUDACHECK(cudaFree(recv));
  CUDACHECK(cudaFree(errors));
  CUDACHECK(cudaStreamDestroy(stream));
  NCCLCHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return total ? EXIT_FAILURE : EXIT_SUCCESS;
}
