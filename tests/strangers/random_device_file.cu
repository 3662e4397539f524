// stranger: inputs come from /dev/urandom, read by descriptor, FILE and ifstream, and from getrandom
// share: all
// ranks: 4
// expect-output: rank 3 has sums
// convert: lsa
#include <cuda_runtime.h>
#include <fcntl.h>
#include <mpi.h>
#include <nccl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <vector>

constexpr int kPart = 64;

void fill(std::vector<unsigned>& words) {
  char* bytes = reinterpret_cast<char*>(words.data());
  size_t part = kPart * sizeof(unsigned);
  int file = open("/dev/urandom", O_RDONLY);
  if (read(file, bytes, part) != (ssize_t)part) exit(1);
  close(file);
  FILE* stream = fopen("/dev/urandom", "rb");
  if (fread(bytes + part, 1, part, stream) != part) exit(2);
  fclose(stream);
  if (!std::ifstream("/dev/random", std::ios::binary).read(bytes + 2 * part, part)) exit(3);
  if (getrandom(bytes + 3 * part, part, 0) != (ssize_t)part) exit(4);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  cudaSetDevice(rank);
  std::vector<unsigned> words(4 * kPart), sums(4 * kPart);
  fill(words);
  unsigned *mine, *all;
  cudaMalloc(&mine, words.size() * sizeof(unsigned));
  cudaMalloc(&all, words.size() * sizeof(unsigned));
  cudaMemcpy(mine, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  ncclAllReduce(mine, all, words.size(), ncclUint32, ncclSum, comm, 0);
  cudaMemcpy(sums.data(), all, words.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  printf("rank %d has sums\n", rank);
  ncclCommDestroy(comm);
  cudaFree(mine);
  cudaFree(all);
  MPI_Finalize();
  return 0;
}
