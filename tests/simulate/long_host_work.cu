// Ranks that compute on the host for seconds before they meet: who comes first waits, and nobody is stuck.
// ranks: 2
// expect: ok
// expect: rank 1 came
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned value = argc;
  for (unsigned i = 0; i < 1'000'000'000u + 100'000'000u * rank; i++) value = value * 3 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("rank %d came, %s\n", rank, value == 7 ? "seven" : "another");
  MPI_Finalize();
}
