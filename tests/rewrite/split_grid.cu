// Ranks in a grid of two columns: a sum over each column's communicator, then a broadcast along the rows, in place.
#include "support.h"

__global__ void fill(int64_t* data, int count, int rank, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (int64_t)i * (rank + 1) + round;
}

class Grid {
 public:
  Grid(ncclComm_t world, int rank) {
    CHECK(ncclCommSplit(world, rank % 2, rank, &column_, nullptr));
    CHECK(ncclCommSplit(world, rank / 2, rank, &row_, nullptr));
  }
  ~Grid() {
    CHECK(ncclCommDestroy(row_));
    CHECK(ncclCommDestroy(column_));
  }
  void step(int64_t* partial, int64_t* total, int count, cudaStream_t stream) const {
    CHECK(ncclAllReduce(partial, total, count, ncclInt64, ncclSum, column_, stream));
    CHECK(ncclBcast(total, count, ncclInt64, 0, row_, stream));
  }

 private:
  ncclComm_t row_, column_;
};

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t world;
  CHECK(ncclCommInitRank(&world, self.count, id, self.rank));
  constexpr int kCount = 777;
  int64_t *partial, *total;
  CHECK(cudaMalloc((void**)&partial, kCount * sizeof(int64_t)));
  CHECK(cudaMalloc((void**)&total, kCount * sizeof(int64_t)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Grid grid(world, self.rank);
    for (int round = 0; round < 3; round++) {
      fill<<<7, 128, 0, stream>>>(partial, kCount, self.rank, round);
      grid.step(partial, total, kCount, stream);
      CHECK(cudaStreamSynchronize(stream));
      print_fingerprint("total", self.rank, total, kCount);
    }
  }
  CHECK(cudaFree(partial));
  CHECK(cudaFree(total));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(world));
}
