// stranger: mixture of experts: tokens go to the rank of their expert and come back, with counts that differ by pair of ranks
// ranks: 4
// arguments: -t 48 -d 16
// case: -t 8192 -d 1024
// case-on: -n 4 --profile a100-2node-roce
// optimize: 3
// expect-output: MoE combine OK
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <unistd.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define cudaCheck(err) (cuda_check_(err, __FILE__, __LINE__))
#define ncclCheck(err) (nccl_check_(err, __FILE__, __LINE__))
static void cuda_check_(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}
static void nccl_check_(ncclResult_t status, const char* file, int line) {
  if (status != ncclSuccess) {
    printf("[NCCL ERROR] at file %s:%d:\n%s\n", file, line, ncclGetErrorString(status));
    exit(EXIT_FAILURE);
  }
}

__global__ void gather_rows(float* dst, const float* src, const int* index, int rows, int dim) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int d = threadIdx.x; d < dim; d += blockDim.x) dst[r * dim + d] = src[index[r] * dim + d];
}

__global__ void scatter_rows(float* dst, const float* src, const int* index, int rows, int dim) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int d = threadIdx.x; d < dim; d += blockDim.x) dst[index[r] * dim + d] = src[r * dim + d];
}

__global__ void expert_ffn(float* y, const float* x, int rows, int dim, float gain) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
      float v = x[r * dim + d];
      y[r * dim + d] = v > 0.f ? gain * v : 0.f;
    }
}

int expert_of(int rank, int token, int experts) { return (token * 7 + rank * 3 + token / 5) % experts; }
float feature(int rank, int token, int d) { return 0.01f * ((token * 13 + rank * 31 + d * 7) % 201) - 1.0f; }

int main(int argc, char** argv) {
  int tokens = 2048, dim = 512, opt;
  while ((opt = getopt(argc, argv, "t:d:")) != -1) {
    if (opt == 't') tokens = atoi(optarg);
    else if (opt == 'd') dim = atoi(optarg);
    else return 2;
  }
  MPI_Init(&argc, &argv);
  int me, n;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  cudaCheck(cudaSetDevice(me));
  ncclUniqueId id;
  if (!me) ncclCheck(ncclGetUniqueId(&id));
  MPI_Bcast((void*)&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCheck(ncclCommInitRank(&comm, n, id, me));

  std::vector<int> send_counts(n, 0), recv_counts(n), send_displs(n, 0), recv_displs(n, 0), order(tokens);
  for (int t = 0; t < tokens; t++) send_counts[expert_of(me, t, n)]++;
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, recv_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::partial_sum(send_counts.begin(), send_counts.end() - 1, send_displs.begin() + 1);
  std::partial_sum(recv_counts.begin(), recv_counts.end() - 1, recv_displs.begin() + 1);
  int received = recv_displs[n - 1] + recv_counts[n - 1];
  std::vector<int> fill = send_displs;
  for (int t = 0; t < tokens; t++) order[fill[expert_of(me, t, n)]++] = t;

  std::vector<float> h((size_t)tokens * dim);
  for (int t = 0; t < tokens; t++)
    for (int d = 0; d < dim; d++) h[(size_t)t * dim + d] = feature(me, t, d);
  float *x, *packed, *inbox, *outbox, *back, *y;
  int* d_order;
  size_t token_bytes = (size_t)tokens * dim * sizeof(float), inbox_bytes = (size_t)(received + 1) * dim * sizeof(float);
  cudaCheck(cudaMalloc((void**)&x, token_bytes));
  cudaCheck(cudaMalloc((void**)&packed, token_bytes));
  cudaCheck(cudaMalloc((void**)&back, token_bytes));
  cudaCheck(cudaMalloc((void**)&y, token_bytes));
  cudaCheck(cudaMalloc((void**)&inbox, inbox_bytes));
  cudaCheck(cudaMalloc((void**)&outbox, inbox_bytes));
  cudaCheck(cudaMalloc((void**)&d_order, tokens * sizeof(int)));
  cudaCheck(cudaMemcpy(x, h.data(), token_bytes, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(d_order, order.data(), tokens * sizeof(int), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  cudaEvent_t begin, end;
  cudaCheck(cudaStreamCreate(&stream));
  cudaCheck(cudaEventCreate(&begin));
  cudaCheck(cudaEventCreate(&end));
  for (int iter = 0; iter < 3; iter++) {
    if (iter == 1) cudaCheck(cudaEventRecord(begin, stream));
    gather_rows<<<16, 64, 0, stream>>>(packed, x, d_order, tokens, dim);
    ncclCheck(ncclGroupStart());
    for (int p = 0; p < n; p++) {
      ncclCheck(ncclSend(packed + (size_t)send_displs[p] * dim, (size_t)send_counts[p] * dim, ncclFloat, p, comm, stream));
      ncclCheck(ncclRecv(inbox + (size_t)recv_displs[p] * dim, (size_t)recv_counts[p] * dim, ncclFloat, p, comm, stream));
    }
    ncclCheck(ncclGroupEnd());
    expert_ffn<<<16, 64, 0, stream>>>(outbox, inbox, received, dim, 1.0f + me);
    ncclCheck(ncclGroupStart());
    for (int p = 0; p < n; p++) {
      ncclCheck(ncclSend(outbox + (size_t)recv_displs[p] * dim, (size_t)recv_counts[p] * dim, ncclFloat, p, comm, stream));
      ncclCheck(ncclRecv(back + (size_t)send_displs[p] * dim, (size_t)send_counts[p] * dim, ncclFloat, p, comm, stream));
    }
    ncclCheck(ncclGroupEnd());
    scatter_rows<<<16, 64, 0, stream>>>(y, back, d_order, tokens, dim);
  }
  cudaCheck(cudaEventRecord(end, stream));
  cudaCheck(cudaEventSynchronize(end));
  float ms = 0;
  cudaCheck(cudaEventElapsedTime(&ms, begin, end));

  cudaCheck(cudaMemcpy(h.data(), y, token_bytes, cudaMemcpyDeviceToHost));
  int wrong = 0, total;
  for (int t = 0; t < tokens; t++)
    for (int d = 0; d < dim; d++) {
      float v = feature(me, t, d), want = v > 0.f ? (1.0f + expert_of(me, t, n)) * v : 0.f;
      wrong += fabsf(h[(size_t)t * dim + d] - want) > 1e-5f;
    }
  MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d tokens x %d: %.3f ms per layer, MoE combine %s\n", tokens, dim, ms / 2, total ? "WRONG" : "OK");
  cudaFree(x), cudaFree(packed), cudaFree(inbox), cudaFree(outbox), cudaFree(back), cudaFree(y), cudaFree(d_order);
  cudaEventDestroy(begin), cudaEventDestroy(end), cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return total ? 1 : 0;
}
