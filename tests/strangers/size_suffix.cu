// stranger: sizes with a suffix, whose letter is read as a text of one sign into a variable of one byte
// ranks: 2
// arguments: -b 1K -e 4K -f 2 -n 3
// expect-output: 1024 to 4096 bytes, by 2, 3 times: 1024 2048 4096
// expect-output: 'sscanf' may overflow; destination buffer in argument 3 has size 1
#include <cuda_runtime.h>
#include <getopt.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

struct Range {
  double first, last;
};

static double bytes_of(double size, char suffix) {
  switch (suffix) {
    case 'G': return size * 1024 * 1024 * 1024;
    case 'M': return size * 1024 * 1024;
    case 'K': return size * 1024;
    default: return -1;
  }
}

// Both are asked for before either is used; the first once more, as an argument given twice is. Whichever of the two
// letters lies in front of the other, the zero behind it would overwrite it.
static __attribute__((noinline)) Range range_of(const char* first, const char* last) {
  char from_suffix, to_suffix;
  if (sscanf(first, "%*f %1s", &from_suffix) != 1 || sscanf(last, "%*f %1s", &to_suffix) != 1) return {-1, -1};
  double from = bytes_of(atof(first), from_suffix);
  if (sscanf(first, "%*f %1s", &from_suffix) != 1) return {-1, -1};
  return {from, bytes_of(atof(last), to_suffix)};
}

int main(int argc, char* argv[]) {
  const char *from = "1M", *to = "32M";
  int factor = 1, rounds = 20;
  static option names[] = {{"first", required_argument, 0, 'b'}, {"last", required_argument, 0, 'e'}, {}};
  while (1) {
    int place, letter = getopt_long(argc, argv, "b:e:f:n:", names, &place);
    if (letter == -1) break;
    switch (letter) {
      case 'b': from = optarg; break;
      case 'e': to = optarg; break;
      case 'f': factor = strtol(optarg, nullptr, 0); break;
      case 'n': rounds = strtol(optarg, nullptr, 0); break;
    }
  }
  Range range = range_of(from, to);
  if (range.first < 0 || range.last < 0) return 1;
  size_t first = (size_t)range.first, last = (size_t)range.last;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  float* data;
  cudaMalloc(&data, last);
  cudaMemset(data, 0, last);
  if (rank == 0) printf("%zu to %zu bytes, by %d, %d times:", first, last, factor, rounds);
  for (size_t bytes = first; bytes <= last && factor > 1; bytes *= factor) {
    for (int i = 0; i < rounds; i++) ncclAllReduce(data, data, bytes / sizeof(float), ncclFloat, ncclSum, comm, 0);
    if (rank == 0) printf(" %zu", bytes);
  }
  cudaDeviceSynchronize();
  if (rank == 0) printf("\n");
  cudaFree(data);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
