// Activations of tokens that are cut over the ranks, scaled by head and summed over all ranks. Its size is in its text: a
// header says how large a layer is, with heads and their dimension that must fit it, and how many tokens there are.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sizes.h"

#define CHECK(call)                                                        \
  do {                                                                     \
    if (int code = static_cast<int>(call)) {                               \
      std::fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                        \
    }                                                                      \
  } while (0)

constexpr int kThreads = 128;
constexpr int kTile = 16;

template <int kRows>
__global__ void scale_heads(const float* in, const float* scales, float* out, int tokens) {
  __shared__ float scale[HEADS];
  for (int i = threadIdx.x; i < HEADS; i += blockDim.x) scale[i] = scales[i];
  __syncthreads();
  for (int row = blockIdx.x * kRows; row < (blockIdx.x + 1) * kRows && row < tokens; row++)
    for (int i = threadIdx.x; i < HIDDEN; i += blockDim.x) out[row * HIDDEN + i] = in[row * HIDDEN + i] * scale[i / DIM];
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  ncclComm_t comm;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  CHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  CHECK(ncclCommInitRank(&comm, ranks, id, rank));

  const int tokens = TOKENS / ranks;
  const size_t count = static_cast<size_t>(tokens) * HIDDEN;
  float *in, *out, *scales;
  CHECK(cudaMalloc(&in, count * sizeof(float)));
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  CHECK(cudaMalloc(&scales, HEADS * sizeof(float)));
  std::vector<float> values(count, 1.0f + rank);
  CHECK(cudaMemcpy(in, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(scales, values.data(), HEADS * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, nullptr));
  scale_heads<kTile><<<(tokens + kTile - 1) / kTile, kThreads>>>(in, scales, out, tokens);
  CHECK(ncclAllReduce(out, out, count, ncclFloat, ncclSum, comm, nullptr));
  CHECK(cudaEventRecord(stop, nullptr));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));

  CHECK(cudaMemcpy(values.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
  float expected = 0;
  for (int i = 0; i < ranks; i++) expected += (1.0f + i) * (1.0f + i);
  int wrong = 0;
  for (float value : values) wrong += value != expected;
  if (rank == 0) std::printf("%d tokens in %.3f ms, %d wrong\n", TOKENS, ms, wrong);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(scales));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
