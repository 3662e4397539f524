// The solver reads and writes the same two buffers in every sweep without swapping them: the residual never changes.
// ranks: 2
// expect-finding: no_progress
#include <mpi.h>
#include <nccl.h>

#include <cstdio>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), MPI_Abort(MPI_COMM_WORLD, 1), (void)0))

constexpr int kCells = 64;

__global__ void start(float* cells, float value) { cells[threadIdx.x] = value; }

__global__ void sweep(const float* from, float* to, float* residual) {
  __shared__ float largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  float value = 0.5f * from[threadIdx.x];
  to[threadIdx.x] = value;
  // Non-negative floats are ordered as their bits are.
  atomicMax(reinterpret_cast<int*>(&largest), __float_as_int(fabsf(value - from[threadIdx.x])));
  __syncthreads();
  if (threadIdx.x == 0) *residual = largest;
}

class Solver {
 public:
  Solver(ncclComm_t comm, float value) : comm_(comm) {
    CHECK(cudaStreamCreate(&stream_));
    CHECK(cudaMalloc(&from_, kCells * sizeof(float)));
    CHECK(cudaMalloc(&to_, kCells * sizeof(float)));
    CHECK(cudaMalloc(&residual_, sizeof(float)));
    start<<<1, kCells, 0, stream_>>>(from_, value);
  }
  ~Solver() {
    CHECK(cudaFree(residual_));
    CHECK(cudaFree(to_));
    CHECK(cudaFree(from_));
    CHECK(cudaStreamDestroy(stream_));
  }
  Solver(const Solver&) = delete;

  int solve(float tolerance) {
    int sweeps = 0;
    float residual = 0;
    do {                                                                                  // FAULT
      sweep<<<1, kCells, 0, stream_>>>(from_, to_, residual_);                            // FAULT
      CHECK(ncclAllReduce(residual_, residual_, 1, ncclFloat, ncclMax, comm_, stream_));  // FAULT
      CHECK(cudaMemcpyAsync(&residual, residual_, sizeof(float), cudaMemcpyDeviceToHost, stream_));
      CHECK(cudaStreamSynchronize(stream_));  // FAULT
      sweeps++;
    } while (residual > tolerance);  // FAULT
    return sweeps;
  }

 private:
  ncclComm_t comm_;
  cudaStream_t stream_;
  float *from_, *to_, *residual_;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  int sweeps = 0;
  {
    Solver solver(comm, static_cast<float>(rank + 1));
    sweeps = solver.solve(0.125f);
  }
  // The larger rank starts at 2: residuals 1, 0.5, 0.25, 0.125.
  std::printf("rank %d: %d wrong\n", rank, sweeps != 4);
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return sweeps != 4;
}
