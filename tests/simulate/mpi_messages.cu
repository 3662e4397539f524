// MPI without NCCL: blocking, non-blocking and collective calls.
// ranks: 4
// expect: ok
// expect: rank 0: 6 3 1.5 210
#include <mpi.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  int rank, count;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  int sum = 0, left = (rank + count - 1) % count, got = -1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % count, 7, &got, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<double> large(100000, rank + 0.5), other(100000);
  MPI_Request requests[2];
  MPI_Irecv(other.data(), 100000, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(large.data(), 100000, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  std::vector<int> gathered(count), mine(count);
  for (int i = 0; i < count; i++) mine[i] = rank * 100 + i * 10;
  MPI_Alltoall(mine.data(), 1, MPI_INT, gathered.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::printf("rank %d: %d %d %.1f %d\n", rank, sum, got, other[99999], gathered[2] + 10 * (rank + 1));
  MPI_Finalize();
  return 0;
}
