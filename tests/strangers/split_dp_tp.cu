// stranger: ncclCommSplit: ranks form a grid of tensor-parallel rows and data-parallel columns; one reduction along each
// ranks: 4
// arguments: 2 128
// share: all
// convert: lsa
// expect-output: rank 3: tp ok, dp ok
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ParallelState {
  int world_rank, world_size;
  int tp_rank, tp_size, dp_rank, dp_size;
  ncclComm_t world, tp, dp;
  cudaStream_t stream;
} ParallelState;

static void fatal(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define C(x) do { cudaError_t e_ = x; if (e_ != cudaSuccess) fatal(#x, cudaGetErrorString(e_)); } while (0)
#define N(x) do { ncclResult_t e_ = x; if (e_ != ncclSuccess) fatal(#x, ncclGetErrorString(e_)); } while (0)

static void init_parallel(ParallelState* st, int tp_size) {
  MPI_Comm_rank(MPI_COMM_WORLD, &st->world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &st->world_size);
  st->tp_size = tp_size;
  st->dp_size = st->world_size / tp_size;
  st->tp_rank = st->world_rank % tp_size;
  st->dp_rank = st->world_rank / tp_size;
  C(cudaSetDevice(st->world_rank));
  ncclUniqueId id;
  if (st->world_rank == 0) N(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  N(ncclCommInitRank(&st->world, st->world_size, id, st->world_rank));
  N(ncclCommSplit(st->world, st->dp_rank, st->tp_rank, &st->tp, NULL));
  N(ncclCommSplit(st->world, st->tp_rank, st->dp_rank, &st->dp, NULL));
  C(cudaStreamCreate(&st->stream));
}

static void free_parallel(ParallelState* st) {
  C(cudaStreamDestroy(st->stream));
  N(ncclCommDestroy(st->tp));
  N(ncclCommDestroy(st->dp));
  N(ncclCommDestroy(st->world));
}

__global__ void partial_activation(float* x, int n, int tp_rank, int dp_rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (float)(i % 8) + 10.0f * tp_rank + 100.0f * dp_rank;
}

__global__ void gradient(float* g, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = 2.0f * x[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ParallelState st;
  init_parallel(&st, argc > 1 ? atoi(argv[1]) : 2);
  int n = argc > 2 ? atoi(argv[2]) : 1 << 22, blocks = (n + 127) / 128;
  float *x, *g, *h = (float*)malloc(n * sizeof(float));
  C(cudaMalloc(&x, n * sizeof(float)));
  C(cudaMalloc(&g, n * sizeof(float)));

  partial_activation<<<blocks, 128, 0, st.stream>>>(x, n, st.tp_rank, st.dp_rank);
  N(ncclAllReduce(x, x, n, ncclFloat, ncclSum, st.tp, st.stream));
  gradient<<<blocks, 128, 0, st.stream>>>(g, x, n);
  N(ncclAllReduce(g, g, n, ncclFloat, ncclSum, st.dp, st.stream));

  int tp_ok = 1, dp_ok = 1;
  C(cudaMemcpyAsync(h, x, n * sizeof(float), cudaMemcpyDeviceToHost, st.stream));
  C(cudaStreamSynchronize(st.stream));
  float tp_sum = 10.0f * st.tp_size * (st.tp_size - 1) / 2;
  for (int i = 0; i < n; i++) tp_ok &= h[i] == st.tp_size * (i % 8 + 100.0f * st.dp_rank) + tp_sum;
  C(cudaMemcpy(h, g, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    float want = 0;
    for (int d = 0; d < st.dp_size; d++) want += 2.0f * (st.tp_size * (i % 8 + 100.0f * d) + tp_sum);
    dp_ok &= h[i] == want;
  }
  printf("rank %d: tp %s, dp %s\n", st.world_rank, tp_ok ? "ok" : "WRONG", dp_ok ? "ok" : "WRONG");
  free(h);
  C(cudaFree(x));
  C(cudaFree(g));
  free_parallel(&st);
  MPI_Finalize();
  return !(tp_ok && dp_ok);
}
