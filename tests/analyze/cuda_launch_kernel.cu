// The launch call of the runtime API, with the kernel by address and by templated pointer.
// expect: launch shard grid=dim3(64) block=dim3(256) shared=1024 stream=stream
// expect: launch apply<2> grid=dim3(64) block=dim3(256) shared=0 stream=stream
// expect-not: cooperative
// expect: producer s1 shard mine
// expect: consumer s1 apply<2> weights
// expect-not: consumer s1 shard
// expect: kernel shard whole:read mine:write
// expect: kernel apply<2> weights:read out:write
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void shard(const float* whole, float* mine, int rank, int count) {
  extern __shared__ float staged[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = whole[rank * count + i];
  mine[i] = staged[threadIdx.x];
}

template <int kPower>
__global__ void apply(const float* weights, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = kPower * weights[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, count = 64 * 256;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  float *whole, *mine, *weights, *out;
  cudaMalloc(&whole, ranks * count * sizeof(float));
  cudaMalloc(&mine, count * sizeof(float));
  cudaMalloc(&weights, ranks * count * sizeof(float));
  cudaMalloc(&out, count * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  void* shard_arguments[] = {&whole, &mine, &rank, &count};
  cudaLaunchKernel((const void*)shard, dim3(64), dim3(256), shard_arguments, 1024, stream);
  ncclAllGather(mine, weights, count, ncclFloat, comm, stream);
  void* apply_arguments[] = {(void*)&weights, (void*)&out, (void*)&count};
  cudaLaunchKernel(reinterpret_cast<const void*>(&apply<2>), dim3(64), dim3(256), apply_arguments, 0, stream);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
