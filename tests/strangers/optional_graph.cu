// stranger: a benchmark that measures its all-gather eagerly, or as nodes of a CUDA graph where -g asks for that
// ranks: 4
// arguments: -n 2048 -i 3
// expect-output: #wrong 0
// convert: lsa gin
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CUDA(call)                                                                     \
  do {                                                                                 \
    cudaError_t e = (call);                                                            \
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)), exit(2); \
  } while (0)
#define NCCL(call)                                                                     \
  do {                                                                                 \
    ncclResult_t e = (call);                                                           \
    if (e != ncclSuccess) fprintf(stderr, "%s: %s\n", #call, ncclGetErrorString(e)), exit(2); \
  } while (0)

static int graph_launches = 0, iterations = 10;
static size_t elements = 1 << 20;

__global__ void init(int* data, size_t n, int rank) {
  for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) data[i] = rank * 1000 + (int)(i % 1000);
}

__global__ void verify(const int* data, size_t n, int ranks, int* wrong) {
  for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < n * ranks; i += blockDim.x * gridDim.x)
    if (data[i] != (int)(i / n) * 1000 + (int)(i % n % 1000)) atomicAdd(wrong, 1);
}

static void run_once(const int* send, int* recv, ncclComm_t comm, cudaStream_t stream) {
  NCCL(ncclAllGather(send, recv, elements, ncclInt, comm, stream));
}

static void measure(const int* send, int* recv, ncclComm_t comm, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  if (graph_launches > 0) CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < iterations; i++) run_once(send, recv, comm, stream);
  if (graph_launches > 0) {
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&instance, graph, 0));
    for (int i = 0; i < graph_launches; i++) CUDA(cudaGraphLaunch(instance, stream));
  }
  CUDA(cudaStreamSynchronize(stream));
}

int main(int argc, char* argv[]) {
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int c; (c = getopt(argc, argv, "n:i:g:")) != -1;) {
    if (c == 'n') elements = strtoul(optarg, NULL, 0);
    if (c == 'i') iterations = atoi(optarg);
    if (c == 'g') graph_launches = atoi(optarg);
  }
  CUDA(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  int *send, *recv, *errors;
  CUDA(cudaMalloc((void**)&send, elements * sizeof(int)));
  CUDA(cudaMalloc((void**)&recv, elements * ranks * sizeof(int)));
  CUDA(cudaMalloc((void**)&errors, sizeof(int)));
  CUDA(cudaMemset(errors, 0, sizeof(int)));
  init<<<8, 64, 0, stream>>>(send, elements, rank);
  CUDA(cudaStreamSynchronize(stream));
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  measure(send, recv, comm, stream);
  double us = (MPI_Wtime() - begin) * 1e6 / iterations;
  verify<<<8, 64, 0, stream>>>(recv, elements, ranks, errors);
  CUDA(cudaMemcpyAsync(&wrong, errors, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  if (rank == 0) printf("%zu bytes %.1f us #wrong %d\n", elements * sizeof(int), us, wrong);
  CUDA(cudaFree(send));
  CUDA(cudaFree(recv));
  CUDA(cudaFree(errors));
  NCCL(ncclCommDestroy(comm));
  CUDA(cudaStreamDestroy(stream));
  MPI_Finalize();
  return wrong != 0;
}
