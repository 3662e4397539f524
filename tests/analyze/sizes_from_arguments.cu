// What parsers of arguments set is not known, whatever it was before: by sscanf, by atoi, behind a pointer in a table.
// What a loop multiplies is shown as that.
// expect: buffer x device bytes=4*sizes.count frees=0
// expect: buffer y device bytes=4*parts frees=0
// expect: operation ncclAllReduce in main loop=part=1;< parts;*2
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

struct Sizes {
  int count, seed;
};

static void read_sizes(int argc, char** argv, Sizes* sizes) {
  for (int i = 1; i < argc; i++) {
    if (std::sscanf(argv[i], "--count=%d", &sizes->count) == 1) continue;
    std::sscanf(argv[i], "--seed=%d", &sizes->seed);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, parts = 8;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Sizes sizes = {1024, 7};
  read_sizes(argc, argv, &sizes);
  if (argc > 1) std::sscanf(argv[1], "%d", &parts);
  std::printf("%d %p\n", parts, static_cast<void*>(&parts));
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  float *x, *y;
  cudaMalloc(&x, sizes.count * sizeof(float));
  cudaMalloc(&y, parts * sizeof(float));
  for (int part = 1; part < parts; part *= 2) ncclAllReduce(x, x, sizes.count, ncclFloat, ncclSum, comm, nullptr);
  cudaDeviceSynchronize();
  MPI_Finalize();
}
