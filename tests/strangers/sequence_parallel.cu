// stranger: sequence parallelism: product, reduce-scatter over tokens, layer norm on the own tokens, all-gather. Options in a struct
// ranks: 4
// arguments: tokens 32 hidden 16
// case: tokens 4096 hidden 4096
// case-on: -n 4 --profile a100-2node-roce
// optimize: 3
// expect-output: sequence parallel block: PASS
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef struct { int tokens, hidden, loops; } opts_t;

static opts_t parse(int argc, char** argv) {
  opts_t o = {8192, 4096, 3};
  for (int i = 1; i + 1 < argc; i += 2) {
    int* field = !strcmp(argv[i], "tokens") ? &o.tokens : !strcmp(argv[i], "hidden") ? &o.hidden : !strcmp(argv[i], "loops") ? &o.loops : NULL;
    if (field == NULL || sscanf(argv[i + 1], "%d", field) != 1) {
      fprintf(stderr, "what is %s %s?\n", argv[i], argv[i + 1]);
      exit(2);
    }
  }
  return o;
}

#define RUNTIME_CHECK(call)                                                                \
  do {                                                                                     \
    cudaError_t rc = (call);                                                               \
    if (rc != cudaSuccess) {                                                               \
      fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(rc));         \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)
#define COLLECTIVE_CHECK(call)                                                             \
  do {                                                                                     \
    ncclResult_t rc = (call);                                                              \
    if (rc != ncclSuccess) {                                                               \
      fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, ncclGetErrorString(rc));         \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)
#define BM 16
__global__ void partial_product(const float* x, const float* w, float* y, int tokens, int hidden, int inner) {
  __shared__ float xs[BM][BM], ws[BM][BM];
  int t = blockIdx.y * BM + threadIdx.y, h = blockIdx.x * BM + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < inner; k += BM) {
    xs[threadIdx.y][threadIdx.x] = t < tokens && k + threadIdx.x < inner ? x[(size_t)t * inner + k + threadIdx.x] : 0.0f;
    ws[threadIdx.y][threadIdx.x] = h < hidden && k + threadIdx.y < inner ? w[(size_t)(k + threadIdx.y) * hidden + h] : 0.0f;
    __syncthreads();
    for (int i = 0; i < BM; i++) sum += xs[threadIdx.y][i] * ws[i][threadIdx.x];
    __syncthreads();
  }
  if (t < tokens && h < hidden) y[(size_t)t * hidden + h] = sum;
}

__global__ void layer_norm(float* x, int hidden) {
  __shared__ float sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0.0f;
  __syncthreads();
  float* row = x + (size_t)blockIdx.x * hidden;
  float s = 0.0f, q = 0.0f;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    s += row[i];
    q += row[i] * row[i];
  }
  atomicAdd(&sums[0], s);
  atomicAdd(&sums[1], q);
  __syncthreads();
  float mean = sums[0] / hidden, scale = rsqrtf(sums[1] / hidden - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) row[i] = (row[i] - mean) * scale;
}

static float x_at(int t, int k) { return 0.1f * ((t * 5 + k * 3) % 9) - 0.4f; }
static float w_at(int k, int h) { return 0.1f * ((k * 7 + h * 2) % 11) - 0.5f; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  opts_t o = parse(argc, argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int inner = o.hidden / ranks, own = o.tokens / ranks;
  RUNTIME_CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) COLLECTIVE_CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  COLLECTIVE_CHECK(ncclCommInitRank(&comm, ranks, id, rank));

  std::vector<float> hx((size_t)o.tokens * inner), hw((size_t)inner * o.hidden), hy((size_t)o.tokens * o.hidden);
  for (int t = 0; t < o.tokens; t++)
    for (int k = 0; k < inner; k++) hx[(size_t)t * inner + k] = x_at(t, rank * inner + k);
  for (int k = 0; k < inner; k++)
    for (int h = 0; h < o.hidden; h++) hw[(size_t)k * o.hidden + h] = w_at(rank * inner + k, h);
  float *x, *w, *partial, *mine, *full;
  RUNTIME_CHECK(cudaMalloc(&x, hx.size() * sizeof(float)));
  RUNTIME_CHECK(cudaMalloc(&w, hw.size() * sizeof(float)));
  RUNTIME_CHECK(cudaMalloc(&partial, hy.size() * sizeof(float)));
  RUNTIME_CHECK(cudaMalloc(&mine, (size_t)own * o.hidden * sizeof(float)));
  RUNTIME_CHECK(cudaMalloc(&full, hy.size() * sizeof(float)));
  RUNTIME_CHECK(cudaMemcpy(x, hx.data(), hx.size() * sizeof(float), cudaMemcpyHostToDevice));
  RUNTIME_CHECK(cudaMemcpy(w, hw.data(), hw.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  cudaEvent_t t0, t1;
  RUNTIME_CHECK(cudaStreamCreate(&stream));
  RUNTIME_CHECK(cudaEventCreate(&t0));
  RUNTIME_CHECK(cudaEventCreate(&t1));
  dim3 grid((o.hidden + BM - 1) / BM, (o.tokens + BM - 1) / BM);
  for (int loop = 0; loop < o.loops; loop++) {
    if (loop == 1) RUNTIME_CHECK(cudaEventRecord(t0, stream));
    partial_product<<<grid, dim3(BM, BM), 0, stream>>>(x, w, partial, o.tokens, o.hidden, inner);
    COLLECTIVE_CHECK(ncclReduceScatter(partial, mine, (size_t)own * o.hidden, ncclFloat, ncclSum, comm, stream));
    layer_norm<<<own, 64, 0, stream>>>(mine, o.hidden);
    COLLECTIVE_CHECK(ncclAllGather(mine, full, (size_t)own * o.hidden, ncclFloat, comm, stream));
  }
  RUNTIME_CHECK(cudaEventRecord(t1, stream));
  RUNTIME_CHECK(cudaStreamSynchronize(stream));
  float ms;
  RUNTIME_CHECK(cudaEventElapsedTime(&ms, t0, t1));

  RUNTIME_CHECK(cudaMemcpy(hy.data(), full, hy.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int good = 1;
  for (int p = 0; p < 4; p++) {
    int t = (p * 11) % o.tokens;
    std::vector<double> row(o.hidden, 0.0);
    double s = 0, q = 0;
    for (int h = 0; h < o.hidden; h++) {
      for (int k = 0; k < o.hidden; k++) row[h] += (double)x_at(t, k) * w_at(k, h);
      s += row[h];
      q += row[h] * row[h];
    }
    s /= o.hidden;
    for (int h = 0; h < o.hidden; h++) good &= fabs((row[h] - s) / sqrt(q / o.hidden - s * s + 1e-5) - hy[(size_t)t * o.hidden + h]) < 2e-2;
  }
  if (rank == 0) printf("%.3f ms, sequence parallel block: %s\n", ms / (o.loops - 1), good ? "PASS" : "FAIL");
  for (float* p : {x, w, partial, mine, full}) RUNTIME_CHECK(cudaFree(p));
  RUNTIME_CHECK(cudaEventDestroy(t0));
  RUNTIME_CHECK(cudaEventDestroy(t1));
  RUNTIME_CHECK(cudaStreamDestroy(stream));
  COLLECTIVE_CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return !good;
}
