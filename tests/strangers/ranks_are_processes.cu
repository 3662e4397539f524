// stranger: what a process has for itself: options, tokens, environment, errno, streams that other ranks silence
// ranks: 3
// flags: -std=c++20
// arguments: -vc 48 first --scale=3 --verbose second -r2
// expect-output: rank 0: count 48 scale 3 rounds 2 verbosity 2 rest first second
// expect-output: rank 1: count 48 scale 3 rounds 2 verbosity 2 rest first second
// expect-output: rank 2: count 48 scale 3 rounds 2 verbosity 2 rest first second
// expect-output: rank 1: tokens a1+b1+c1 variable own1 launcher 1 of 3 local 1 errno 101
// expect-output: rank 2: tokens a2+b2+c2 variable own2 launcher 2 of 3 local 2 errno 102
// expect-output: 2.50 only rank 0 prints
#include <cuda_runtime.h>
#include <getopt.h>
#include <mpi.h>
#include <nccl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <string>

static int rank, size, count = 1, rounds = 1, scale = 1, verbosity = 0;

// Other ranks get their turn in the midst of it.
static void read_options(int argc, char** argv) {
  static option longs[] = {{"scale", required_argument, nullptr, 's'}, {"verbose", no_argument, nullptr, 'v'}, {}};
  for (int letter; (letter = getopt_long(argc, argv, "c:r:v", longs, nullptr)) != -1;) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (letter == 'c') count = atoi(optarg);
    if (letter == 'r') rounds = atoi(optarg);
    if (letter == 's') scale = atoi(optarg);
    if (letter == 'v') verbosity++;
  }
  printf("rank %d: count %d scale %d rounds %d verbosity %d rest %s %s\n", rank, count, scale, rounds, verbosity,
         argv[optind], argv[optind + 1]);
}

static std::string tokens_of_rank() {
  char text[32];
  snprintf(text, sizeof text, "a%d,b%d,c%d", rank, rank, rank);
  std::string joined;
  for (char* token = strtok(text, ","); token; token = strtok(nullptr, ",")) {
    MPI_Barrier(MPI_COMM_WORLD);
    joined += (joined.empty() ? "" : "+") + std::string(token);
  }
  return joined;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  read_options(argc, argv);
  setenv("MY_VARIABLE", ("own" + std::to_string(rank)).c_str(), 1);
  errno = 100 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  int seen = errno;
  std::string tokens = tokens_of_rank();
  printf("rank %d: tokens %s variable %s launcher %s of %s local %s errno %d\n", rank, tokens.c_str(),
         getenv("MY_VARIABLE"), getenv("OMPI_COMM_WORLD_RANK"), getenv("SLURM_NTASKS"), getenv("LOCAL_RANK"), seen);
  if (rank != 0) std::cout.setstate(std::ios::failbit);
  if (rank == 0) std::cout << std::fixed << std::setprecision(2);
  MPI_Barrier(MPI_COMM_WORLD);
  std::cout << 2.5 << " only rank " << rank << " prints" << std::endl;
  if (rank != 0 && freopen("/dev/null", "w", stdout) == nullptr) return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("silenced %d\n", rank);
  MPI_Finalize();
  return 0;
}
