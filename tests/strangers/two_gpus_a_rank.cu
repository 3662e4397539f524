// stranger: two processes on a node of four GPUs, each driving two in one thread, with groups
// ranks: 2
// expect-output: rank 0: 4 devices, sums 10 10
// expect-output: rank 1: 4 devices, sums 10 10
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                            \
  if (int code = (int)(call)) {                                                \
    fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, code);   \
    exit(1);                                                                   \
  }

__global__ void fill(float* data, int count, float value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = value;
}

int main(int argc, char* argv[]) {
  const int per_rank = 2, count = 64;
  int rank, size, devices;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(cudaGetDeviceCount(&devices));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comms[per_rank];
  cudaStream_t streams[per_rank];
  float* data[per_rank];
  CHECK(ncclGroupStart());
  for (int i = 0; i < per_rank; i++) {
    CHECK(cudaSetDevice(rank * per_rank + i));
    CHECK(ncclCommInitRank(&comms[i], size * per_rank, id, rank * per_rank + i));
  }
  CHECK(ncclGroupEnd());
  for (int i = 0; i < per_rank; i++) {
    CHECK(cudaSetDevice(rank * per_rank + i));
    CHECK(cudaStreamCreate(&streams[i]));
    CHECK(cudaMalloc(&data[i], count * sizeof(float)));
    fill<<<1, 32, 0, streams[i]>>>(data[i], count, 1.0f + rank * per_rank + i);
  }
  CHECK(ncclGroupStart());
  for (int i = 0; i < per_rank; i++)
    CHECK(ncclAllReduce(data[i], data[i], count, ncclFloat, ncclSum, comms[i], streams[i]));
  CHECK(ncclGroupEnd());
  float sums[per_rank];
  for (int i = 0; i < per_rank; i++) {
    CHECK(cudaSetDevice(rank * per_rank + i));
    CHECK(cudaStreamSynchronize(streams[i]));
    CHECK(cudaMemcpy(&sums[i], data[i] + count - 1, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data[i]));
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(ncclCommDestroy(comms[i]));
  }
  printf("rank %d: %d devices, sums %g %g\n", rank, devices, sums[0], sums[1]);
  MPI_Finalize();
  return 0;
}
