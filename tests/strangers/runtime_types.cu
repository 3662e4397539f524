// stranger: a little benchmark: type and operation come from tables by number, the call stands in a macro, buffers in a struct of arguments
// ranks: 4
// arguments: -n 300 -t all
// expect-output: # out of bounds values : 0 OK
// convert: lsa gin
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDACHECK(cmd) do {                                            \
    cudaError_t err = (cmd);                                           \
    if (err != cudaSuccess) {                                          \
      printf("Failed: CUDA error %s:%d '%s'\n", __FILE__, __LINE__,    \
             cudaGetErrorString(err));                                 \
      exit(EXIT_FAILURE);                                              \
    }                                                                  \
  } while (0)
#define NCCLCHECK(cmd) do {                                            \
    ncclResult_t res = (cmd);                                          \
    if (res != ncclSuccess) {                                          \
      printf("Failed: NCCL error %s:%d '%s'\n", __FILE__, __LINE__,    \
             ncclGetErrorString(res));                                 \
      exit(EXIT_FAILURE);                                              \
    }                                                                  \
  } while (0)
template <typename T>
__global__ void init_data(T* data, size_t count, int rank, int round) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) data[i] = (T)(1 + (i + rank + round) % 3);
}

#define RUN_COLLECTIVE(args, type, op) \
  NCCLCHECK(ncclAllReduce((args)->sendbuff, (args)->recvbuff, (args)->count, type, op, (args)->comm, (args)->stream))

static ncclDataType_t test_types[] = {ncclFloat, ncclDouble, ncclInt32, ncclInt64, ncclUint8};
static const char* test_typenames[] = {"float", "double", "int32", "int64", "uint8"};
static ncclRedOp_t test_ops[] = {ncclSum, ncclMax, ncclMin, ncclProd};

static size_t wordSize(ncclDataType_t type) {
  switch (type) {
    case ncclUint8: return 1;
    case ncclFloat:
    case ncclInt32: return 4;
    default: return 8;
  }
}

struct threadArgs {
  void *sendbuff, *recvbuff;
  size_t count;
  int rank, nranks;
  ncclComm_t comm;
  cudaStream_t stream;
};

template <typename T>
static long verify(threadArgs* args, ncclRedOp_t op, int round) {
  T* host = (T*)malloc(args->count * sizeof(T));
  CUDACHECK(cudaMemcpy(host, args->recvbuff, args->count * sizeof(T), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (size_t i = 0; i < args->count; i++) {
    double expected = 1 + (i + round) % 3;
    for (int r = 1; r < args->nranks; r++) {
      double value = 1 + (i + r + round) % 3;
      if (op == ncclSum) expected += value;
      if (op == ncclProd) expected *= value;
      if (op == ncclMax && value > expected) expected = value;
      if (op == ncclMin && value < expected) expected = value;
    }
    if ((double)host[i] != expected) wrong++;
  }
  free(host);
  return wrong;
}

template <typename T>
static void fill(threadArgs* args, int round) {
  init_data<T><<<(args->count + 127) / 128, 128, 0, args->stream>>>((T*)args->sendbuff, args->count, args->rank, round);
}

static long BenchTime(threadArgs* args, ncclDataType_t type, ncclRedOp_t op, int round) {
  switch (type) {
    case ncclFloat: fill<float>(args, round); break;
    case ncclDouble: fill<double>(args, round); break;
    case ncclInt32: fill<int32_t>(args, round); break;
    case ncclInt64: fill<int64_t>(args, round); break;
    default: fill<uint8_t>(args, round); break;
  }
  RUN_COLLECTIVE(args, type, op);
  CUDACHECK(cudaStreamSynchronize(args->stream));
  switch (type) {
    case ncclFloat: return verify<float>(args, op, round);
    case ncclDouble: return verify<double>(args, op, round);
    case ncclInt32: return verify<int32_t>(args, op, round);
    case ncclInt64: return verify<int64_t>(args, op, round);
    default: return verify<uint8_t>(args, op, round);
  }
}

int main(int argc, char* argv[]) {
  int first = 0, last = 4;
  threadArgs args;
  memset(&args, 0, sizeof(args));
  args.count = 1024;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "-n")) args.count = strtoul(argv[i + 1], NULL, 0);
    if (!strcmp(argv[i], "-t") && strcmp(argv[i + 1], "all"))
      for (int t = 0; t < 5; t++)
        if (!strcmp(argv[i + 1], test_typenames[t])) first = last = t;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &args.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &args.nranks);
  ncclUniqueId ncclId;
  if (args.rank == 0) NCCLCHECK(ncclGetUniqueId(&ncclId));
  MPI_Bcast(&ncclId, sizeof(ncclId), MPI_BYTE, 0, MPI_COMM_WORLD);
  CUDACHECK(cudaSetDevice(args.rank));
  CUDACHECK(cudaStreamCreateWithFlags(&args.stream, cudaStreamNonBlocking));
  CUDACHECK(cudaMalloc(&args.sendbuff, args.count * 8));
  CUDACHECK(cudaMalloc(&args.recvbuff, args.count * 8));
  NCCLCHECK(ncclCommInitRank(&args.comm, args.nranks, ncclId, args.rank));
  long errors = 0, all = 0;
  for (int t = first; t <= last; t++)
    for (size_t o = 0; o < sizeof(test_ops) / sizeof(test_ops[0]); o++) errors += BenchTime(&args, test_types[t], test_ops[o], t);
  MPI_Reduce(&errors, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (args.rank == 0) printf("# out of bounds values : %ld %s (%zu bytes)\n", all, all ? "FAILED" : "OK", args.count * wordSize(test_types[first]));
  CUDACHECK(cudaFree(args.sendbuff));
  CUDACHECK(cudaFree(args.recvbuff));
  CUDACHECK(cudaStreamDestroy(args.stream));
  NCCLCHECK(ncclCommDestroy(args.comm));
  MPI_Finalize();
  return errors != 0;
}
