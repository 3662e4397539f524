#include "report.h"

#include <cstdio>

// The sum of all ranks' sums, which are equal.
void report(dist::Communicator& world, int* total, int rank, int count, int size, cudaStream_t stream) {
  world.sum(total, 1, stream);
  int host = 0;
  cudaMemcpyAsync(&host, total, sizeof(host), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  if (rank == 0) printf("gathered %d values, sum %d\n", count, host / size);
}
