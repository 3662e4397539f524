// stranger: no device code at all: host files only, one of them C, buffers filled by copies
// share: all
// files: main.cpp exchange.c
// ranks: 4
// arguments: 128
// expect-output: maximum 3.5 on every rank
// convert: lsa
// optimize: 4
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
#include "exchange.h"
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Exchange exchange;
  int count = atoi(argv[1]);
  exchange_open(&exchange, count);
  std::vector<float> host(count, exchange.rank + 0.5f);
  cudaMemcpy(exchange.send, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  exchange_maximum(&exchange);
  cudaMemcpy(host.data(), exchange.recv, count * sizeof(float), cudaMemcpyDeviceToHost);
  int right = 1, all = 0;
  for (float value : host) right = right && value == exchange.size - 0.5f;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (exchange.rank == 0) printf(all ? "maximum %g on every rank\n" : "wrong maximum, not %g\n", exchange.size - 0.5);
  exchange_close(&exchange);
  MPI_Finalize();
  return 0;
}
