// stranger: a 1D stencil whose tiles are staged by cp.async through cuda_pipeline.h in two buffers; the halo comes from the neighbours
// ranks: 2
// arguments: 256 3
// expect-output: stencil verified
// convert: lsa
// share: all
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define R 4
#define TPB 32

static inline void check(cudaError_t e, const char* w) { if (e != cudaSuccess) { std::printf("%s: %s\n", w, cudaGetErrorString(e)); std::exit(1); } }
static inline void check(ncclResult_t e, const char* w) { if (e != ncclSuccess) { std::printf("%s: %s\n", w, ncclGetErrorString(e)); std::exit(1); } }
#define DO(x) check(x, #x)

__device__ void fetch(float* stage, const float* in, int tile) {
  // TPB + 2 R floats; every thread copies one, the first 2 R one more. in has R cells before the first.
  const float* from = in + tile * TPB;
  __pipeline_memcpy_async(&stage[threadIdx.x], &from[threadIdx.x], sizeof(float));
  if (threadIdx.x < 2 * R) __pipeline_memcpy_async(&stage[TPB + threadIdx.x], &from[TPB + threadIdx.x], sizeof(float));
  __pipeline_commit();
}

__global__ void stencil(float* __restrict__ out, const float* __restrict__ in, int tiles) {
  __shared__ float stage[2][TPB + 2 * R];
  int current = 0;
  if (blockIdx.x < tiles) fetch(stage[0], in, blockIdx.x);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int next = tile + gridDim.x;
    if (next < tiles) {
      fetch(stage[current ^ 1], in, next);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    float sum = 0.f;
    for (int o = 0; o <= 2 * R; ++o) sum += stage[current][threadIdx.x + o];
    out[R + tile * TPB + threadIdx.x] = sum / (2 * R + 1);
    __syncthreads();
    current ^= 1;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int cells = argc > 1 ? std::atoi(argv[1]) : 1 << 22, steps = argc > 2 ? std::atoi(argv[2]) : 20;
  const int mine = cells / size, tiles = mine / TPB, left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (mine % TPB) return std::printf("cells per rank must be a multiple of %d\n", TPB), 2;
  DO(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) DO(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  DO(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  DO(cudaStreamCreate(&stream));

  std::vector<float> host(mine + 2 * R, 0.f);
  for (int i = 0; i < mine; ++i) host[R + i] = std::cos(0.02f * (rank * mine + i));
  float *a, *b;
  const size_t bytes = host.size() * sizeof(float);
  DO(cudaMalloc(&a, bytes));
  DO(cudaMalloc(&b, bytes));
  DO(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  DO(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  DO(cudaEventCreate(&begin));
  DO(cudaEventCreate(&end));
  DO(cudaEventRecord(begin, stream));
  for (int s = 0; s < steps; ++s) {
    DO(ncclGroupStart());
    DO(ncclSend(a + R, R, ncclFloat, left, comm, stream));
    DO(ncclSend(a + mine, R, ncclFloat, right, comm, stream));
    DO(ncclRecv(a + R + mine, R, ncclFloat, right, comm, stream));
    DO(ncclRecv(a, R, ncclFloat, left, comm, stream));
    DO(ncclGroupEnd());
    stencil<<<4, TPB, 0, stream>>>(b, a, tiles);
    std::swap(a, b);
  }
  DO(cudaEventRecord(end, stream));
  DO(cudaMemcpyAsync(host.data(), a, bytes, cudaMemcpyDeviceToHost, stream));
  DO(cudaStreamSynchronize(stream));

  std::vector<float> ref(cells), next(cells);
  for (int i = 0; i < cells; ++i) ref[i] = std::cos(0.02f * i);
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < cells; ++i) {
      float sum = 0.f;
      for (int o = -R; o <= R; ++o) sum += ref[(i + o + cells) % cells];
      next[i] = sum / (2 * R + 1);
    }
    ref.swap(next);
  }
  int bad = 0, all;
  for (int i = 0; i < mine; ++i) bad += std::fabs(host[R + i] - ref[rank * mine + i]) > 1e-4f;
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("stencil %s\n", all ? "WRONG" : "verified");
  DO(cudaFree(a));
  DO(cudaFree(b));
  DO(cudaEventDestroy(begin));
  DO(cudaEventDestroy(end));
  DO(cudaStreamDestroy(stream));
  DO(ncclCommDestroy(comm));
  MPI_Finalize();
  return all != 0;
}
