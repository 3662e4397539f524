// Extensible launches: shape, shared bytes and stream stand in a configuration object.
// expect: launch dequantise grid=(tokens + 127) / 128 block=128 shared=4096 stream=main_stream
// expect: kernel dequantise packed:read scale:read wide:write
// expect: producer s1 dequantise wide
// expect: site s1 ncclReduceScatter send=wide recv=part count=tokens type=ncclFloat comm=comm stream=main_stream op=ncclSum
// expect-count: 1 launch
// expect-not: default stream
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdint.h>

__global__ void dequantise(const int8_t* packed, const float* scale, float* wide, int tokens) {
  extern __shared__ float scales[];
  scales[threadIdx.x] = scale[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tokens) wide[i] = packed[i] * scales[threadIdx.x];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int tokens = 1 << 16;
  int8_t* packed;
  float *scale, *wide, *part;
  cudaMalloc(&packed, ranks * tokens);
  cudaMalloc(&scale, 128 * sizeof(float));
  cudaMalloc(&wide, ranks * tokens * sizeof(float));
  cudaMalloc(&part, tokens * sizeof(float));
  cudaStream_t main_stream;
  cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking);

  cudaLaunchConfig_t config = {};
  config.gridDim = (tokens + 127) / 128;
  config.blockDim = 128;
  config.dynamicSmemBytes = 4096;
  config.stream = main_stream;
  cudaLaunchKernelEx(&config, dequantise, (const int8_t*)packed, (const float*)scale, wide, tokens);
  ncclReduceScatter(wide, part, tokens, ncclFloat, ncclSum, comm, main_stream);
  cudaStreamSynchronize(main_stream);
  MPI_Finalize();
}
