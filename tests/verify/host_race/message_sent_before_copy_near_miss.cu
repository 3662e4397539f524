// MPI sends the pinned buffer after the stream that fills it is done.
// ranks: 2
// expect: no findings
#include <mpi.h>

#include <cstdio>

constexpr int kCount = 128;

__global__ void triangle_numbers(int* out) { out[threadIdx.x] = threadIdx.x * (threadIdx.x + 1) / 2; }

void produce(int* pinned) {
  int* device;
  cudaStream_t stream;
  cudaMalloc(&device, kCount * sizeof(int));
  cudaStreamCreate(&stream);
  triangle_numbers<<<1, kCount, 0, stream>>>(device);
  cudaMemcpyAsync(pinned, device, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  MPI_Send(pinned, kCount, MPI_INT, 1, 0, MPI_COMM_WORLD);
  cudaStreamDestroy(stream);
  cudaFree(device);
}

int consume(int* pinned) {
  MPI_Recv(pinned, kCount, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += pinned[i] != i * (i + 1) / 2;
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, wrong = 0, *pinned;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cudaSetDevice(rank);
  cudaMallocHost(&pinned, kCount * sizeof(int));
  for (int i = 0; i < kCount; i++) pinned[i] = -1;
  if (rank == 0) produce(pinned);
  if (rank == 1) wrong = consume(pinned);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  cudaFreeHost(pinned);
  MPI_Finalize();
  return wrong != 0;
}
