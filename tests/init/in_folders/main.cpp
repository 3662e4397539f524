// Ranks in a struct, sizes from a parser, the step in a file of its own, timed by MPI_Wtime.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "step.h"

static void read_sizes(int argc, char** argv, Sizes* sizes) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rows") == 0) std::sscanf(argv[i + 1], "%d", &sizes->rows);
    if (std::strcmp(argv[i], "--columns") == 0) sizes->columns = std::atoi(argv[i + 1]);
  }
}

static void connect(Place* place) {
  MPI_Comm_rank(MPI_COMM_WORLD, &place->index);
  MPI_Comm_size(MPI_COMM_WORLD, &place->count);
  cudaSetDevice(place->index);
  ncclUniqueId id;
  if (place->index == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&place->comm, place->count, id, place->index);
  cudaStreamCreate(&place->stream);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Place place;
  Sizes sizes = {8, 16};
  connect(&place);
  read_sizes(argc, argv, &sizes);
  size_t count = static_cast<size_t>(sizes.rows) * sizes.columns;
  Number *mine, *all;
  cudaMalloc(&mine, count * sizeof(Number));
  cudaMalloc(&all, place.count * count * sizeof(Number));
  std::vector<Number> host(count, static_cast<Number>(place.index + 1));
  cudaMemcpy(mine, host.data(), count * sizeof(Number), cudaMemcpyHostToDevice);
  double begin = MPI_Wtime();
  run_step(&place, &sizes, mine, all);
  cudaStreamSynchronize(place.stream);
  double end = MPI_Wtime();
  std::vector<Number> gathered(place.count * count);
  cudaMemcpy(gathered.data(), all, gathered.size() * sizeof(Number), cudaMemcpyDeviceToHost);
  if (place.index == 0) std::printf("%f ms, last %f\n", 1e3 * (end - begin), static_cast<double>(gathered.back()));
  cudaFree(mine);
  cudaFree(all);
  cudaStreamDestroy(place.stream);
  ncclCommDestroy(place.comm);
  MPI_Finalize();
}
