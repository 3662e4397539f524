// The host looks at the pinned result right after queueing the copy that will fill it.
// ranks: 2
// expect-finding: host_race
#include <mpi.h>
#include <nccl.h>

#include <cstdio>

constexpr int kCount = 100;

__global__ void fill(int* values, int value) { values[threadIdx.x] = value; }

int run(int rank, int ranks, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t copied;
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  int *values, *result, wrong = 0;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMallocHost(&result, kCount * sizeof(int));
  for (int i = 0; i < kCount; i++) result[i] = -1;
  fill<<<1, kCount, 0, stream>>>(values, rank + 1);
  ncclAllReduce(values, values, kCount, ncclInt, ncclSum, comm, stream);
  cudaMemcpyAsync(result, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);  // FAULT
  cudaEventRecord(copied, stream);
  for (int i = 0; i < kCount; i++) wrong += result[i] != ranks * (ranks + 1) / 2;  // FAULT
  cudaStreamSynchronize(stream);
  cudaFreeHost(result);
  cudaFree(values);
  cudaEventDestroy(copied);
  cudaStreamDestroy(stream);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int wrong = run(rank, ranks, comm);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
