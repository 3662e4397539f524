// stranger: cross entropy over a vocabulary that is cut over the ranks: maxima, sums and the target's logit by three small reductions
// ranks: 4
// arguments: 12 64
// expect-output: loss PASS
// convert: lsa
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <math_constants.h>
#include <mpi.h>
#include <nccl.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define cudaCheck(err) do { if ((err) != cudaSuccess) { printf("CUDA %s:%d\n", __FILE__, __LINE__); exit(1); } } while (0)
#define ncclCheck(err) do { if ((err) != ncclSuccess) { printf("NCCL %s:%d\n", __FILE__, __LINE__); exit(1); } } while (0)

__device__ __forceinline__ float warp_max(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v = fmaxf(v, __shfl_down_sync(0xFFFFFFFF, v, offset));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, offset);
  return v;
}

// A warp a row.
__global__ void row_max(const float* logits, float* out, int rows, int cols) {
  int lane = threadIdx.x % warpSize, row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (row >= rows) return;
  float m = -CUDART_INF_F;
  for (int c = lane; c < cols; c += warpSize) m = fmaxf(m, logits[row * cols + c]);
  m = warp_max(m);
  if (lane == 0) out[row] = m;
}

__global__ void row_sum(const float* logits, const float* maxima, const int* targets, float* sums, float* picked, int rows, int cols, int first) {
  int lane = threadIdx.x % warpSize, row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (row >= rows) return;
  float s = 0.f;
  for (int c = lane; c < cols; c += warpSize) s += expf(logits[row * cols + c] - maxima[row]);
  s = warp_sum(s);
  if (lane == 0) {
    int t = targets[row] - first;
    sums[row] = s;
    picked[row] = t >= 0 && t < cols ? logits[row * cols + t] - maxima[row] : 0.f;
  }
}

__global__ void losses(const float* sums, const float* picked, float* loss, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) loss[row] = logf(sums[row]) - picked[row];
}

float logit(int row, int col) { return 3.0f * std::sin(0.7f * row + 1.3f * col); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, world;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const int B = argc > 1 ? atoi(argv[1]) : 4096, V = argc > 2 ? atoi(argv[2]) : 50304, cols = V / world;
  cudaCheck(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) ncclCheck(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCheck(ncclCommInitRank(&comm, world, id, rank));
  cudaStream_t stream;
  cudaCheck(cudaStreamCreate(&stream));

  std::vector<float> h_logits((size_t)B * cols), h_loss(B);
  std::vector<int> h_targets(B);
  for (int b = 0; b < B; b++) {
    h_targets[b] = (b * 29) % V;
    for (int c = 0; c < cols; c++) h_logits[(size_t)b * cols + c] = logit(b, rank * cols + c);
  }
  float *logits, *maxima, *stats, *loss;
  int* targets;
  cudaCheck(cudaMalloc(&logits, h_logits.size() * sizeof(float)));
  cudaCheck(cudaMalloc(&maxima, B * sizeof(float)));
  cudaCheck(cudaMalloc(&stats, 2 * B * sizeof(float)));
  cudaCheck(cudaMalloc(&loss, B * sizeof(float)));
  cudaCheck(cudaMalloc(&targets, B * sizeof(int)));
  cudaCheck(cudaMemcpy(logits, h_logits.data(), h_logits.size() * sizeof(float), cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(targets, h_targets.data(), B * sizeof(int), cudaMemcpyHostToDevice));

  const int block_size = 128, grid_size = CEIL_DIV(B * 32, block_size);
  cudaEvent_t start, end;
  cudaCheck(cudaEventCreate(&start));
  cudaCheck(cudaEventCreate(&end));
  cudaCheck(cudaEventRecord(start, stream));
  row_max<<<grid_size, block_size, 0, stream>>>(logits, maxima, B, cols);
  ncclCheck(ncclAllReduce(maxima, maxima, B, ncclFloat, ncclMax, comm, stream));
  row_sum<<<grid_size, block_size, 0, stream>>>(logits, maxima, targets, stats, stats + B, B, cols, rank * cols);
  ncclCheck(ncclAllReduce(stats, stats, 2 * B, ncclFloat, ncclSum, comm, stream));
  losses<<<CEIL_DIV(B, block_size), block_size, 0, stream>>>(stats, stats + B, loss, B);
  cudaCheck(cudaEventRecord(end, stream));
  cudaCheck(cudaEventSynchronize(end));
  float ms;
  cudaCheck(cudaEventElapsedTime(&ms, start, end));

  cudaCheck(cudaMemcpy(h_loss.data(), loss, B * sizeof(float), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int b = 0; b < B; b += 1 + B / 16) {
    double sum = 0;
    for (int v = 0; v < V; v++) sum += std::exp((double)logit(b, v));
    good &= std::fabs(std::log(sum) - logit(b, h_targets[b]) - h_loss[b]) < 1e-3;
  }
  if (rank == 0) printf("%.3f ms, loss %s\n", ms, good ? "PASS" : "FAIL");
  cudaFree(logits); cudaFree(maxima); cudaFree(stats); cudaFree(loss); cudaFree(targets);
  cudaEventDestroy(start); cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return good ? 0 : 1;
}
