// Halos go through the host with MPI_Send first on every rank; small messages may be buffered, nothing promises it.
// ranks: 3
// expect-finding: deadlock
#include <mpi.h>

#include <cstdio>
#include <vector>

constexpr int kCells = 256;

// Cell 0 is the halo; cells 1..kCells belong to this rank.
__global__ void start(float* cells, int rank) {
  for (int i = threadIdx.x; i < kCells; i += blockDim.x) cells[1 + i] = static_cast<float>(rank * kCells + i);
}

__global__ void average_left(const float* cells, float* out) {
  for (int i = threadIdx.x; i < kCells; i += blockDim.x) out[i] = 0.5f * (cells[i] + cells[i + 1]);
}

void exchange_halo(float* cells, int rank, int count) {
  int next = (rank + 1) % count, previous = (rank + count - 1) % count;
  float last = 0, halo = 0;
  cudaMemcpy(&last, cells + kCells, sizeof(float), cudaMemcpyDeviceToHost);
  MPI_Send(&last, 1, MPI_FLOAT, next, 0, MPI_COMM_WORLD);                         // FAULT
  MPI_Recv(&halo, 1, MPI_FLOAT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // FAULT
  cudaMemcpy(cells, &halo, sizeof(float), cudaMemcpyHostToDevice);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  cudaSetDevice(rank);
  float *cells, *out;
  cudaMalloc(&cells, (kCells + 1) * sizeof(float));
  cudaMalloc(&out, kCells * sizeof(float));
  start<<<1, 64>>>(cells, rank);
  exchange_halo(cells, rank, count);
  average_left<<<1, 64>>>(cells, out);
  std::vector<float> got(kCells);
  cudaMemcpy(got.data(), out, kCells * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  float before = static_cast<float>((rank + count - 1) % count * kCells + kCells - 1);
  for (int i = 0; i < kCells; i++) {
    float own = static_cast<float>(rank * kCells + i);
    wrong += got[i] != 0.5f * ((i == 0 ? before : own - 1) + own);
  }
  std::printf("rank %d: %d wrong\n", rank, wrong);
  cudaFree(out);
  cudaFree(cells);
  MPI_Finalize();
  return wrong != 0;
}
