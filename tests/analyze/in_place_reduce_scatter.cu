// Sharded optimizer: gradients are reduced so that each rank's shard lands inside the same buffer.
// expect: site s1 ncclReduceScatter send=grads recv=grads count=shard type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: site s2 ncclAllGather send=params recv=params count=shard type=ncclFloat comm=comm stream=stream in-place
// expect: producer s1 loss_gradient grads
// expect: consumer s1 adam_step grads
// expect: producer s2 adam_step params
// expect: kernel adam_step params:read_write grads:read moment:read_write
// expect-not: window moment
// expect-count: 2 window
// expect-not: overlap s2 adam_step
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void loss_gradient(const float* params, float* grads, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) grads[i] = params[i] * params[i];
}

__global__ void adam_step(float* params, const float* grads, float* moment, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  moment[i] = 0.9f * moment[i] + 0.1f * grads[i];
  params[i] -= 1e-3f * moment[i];
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
  const size_t shard = 1 << 20, total = shard * ranks;
  float *params, *grads, *moment;
  cudaMalloc(&params, total * sizeof(float));
  cudaMalloc(&grads, total * sizeof(float));
  cudaMalloc(&moment, shard * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemsetAsync(moment, 0, shard * sizeof(float), stream);

  loss_gradient<<<total / 256, 256, 0, stream>>>(params, grads, total);
  float* my_grads = grads + rank * shard;
  float* my_params = &params[rank * shard];
  ncclReduceScatter(grads, my_grads, shard, ncclFloat, ncclSum, comm, stream);
  adam_step<<<shard / 256, 256, 0, stream>>>(my_params, my_grads, moment, shard);
  ncclAllGather(my_params, params, shard, ncclFloat, comm, stream);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
