// stranger: No MPI: rank and size come from the launcher's environment, the unique id goes through a file that the others wait for
// ranks: 2
// arguments: /tmp/cuco_strangers_unique_id
// expect-output: weights identical on 2 ranks
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

static int env_int(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names)
    if (const char* text = getenv(name)) return atoi(text);
  return fallback;
}

#define CUDA_OR_DIE(x)                                                                   \
  if (cudaError_t status = (x); status != cudaSuccess) {                                 \
    fprintf(stderr, "[%d] %s: %s\n", rank, #x, cudaGetErrorString(status));              \
    exit(1);                                                                             \
  }
#define NCCL_OR_DIE(x)                                                                   \
  if (ncclResult_t status = (x); status != ncclSuccess) {                                \
    fprintf(stderr, "[%d] %s: %s\n", rank, #x, ncclGetErrorString(status));              \
    exit(1);                                                                             \
  }

__global__ void init_weights(float* w, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = seed + 747796405u * i;
  x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
  w[i] = (float)(x >> 8) / (1 << 24) - 0.5f;
}

__global__ void checksum(const float* w, int n, double* out) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (i + 1) * (double)w[i];
  *out = s;
}

static ncclUniqueId exchange_id(const std::string& path, int rank) {
  ncclUniqueId id;
  if (rank == 0) {
    NCCL_OR_DIE(ncclGetUniqueId(&id));
    std::string temporary = path + ".tmp";
    std::ofstream(temporary, std::ios::binary).write(reinterpret_cast<const char*>(&id), sizeof(id));
    rename(temporary.c_str(), path.c_str());
    return id;
  }
  for (;;) {
    std::ifstream file(path, std::ios::binary);
    if (file.read(reinterpret_cast<char*>(&id), sizeof(id))) return id;
    usleep(1000);
  }
}

int main(int argc, char** argv) {
  const int rank = env_int({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
  const int size = env_int({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 1);
  const int local = env_int({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
  const std::string path = std::string(argc > 1 ? argv[1] : "/tmp/nccl_id") + "." + std::to_string(getppid());
  const int n = argc > 2 ? atoi(argv[2]) : 1024;
  CUDA_OR_DIE(cudaSetDevice(local));
  ncclComm_t comm;
  NCCL_OR_DIE(ncclCommInitRank(&comm, size, exchange_id(path, rank), rank));

  float* weights;
  double* sums;
  CUDA_OR_DIE(cudaMalloc(&weights, n * sizeof(float)));
  CUDA_OR_DIE(cudaMalloc(&sums, (size + 1) * sizeof(double)));
  init_weights<<<(n + 127) / 128, 128>>>(weights, n, 1234u + rank);
  NCCL_OR_DIE(ncclBcast(weights, n, ncclFloat, 0, comm, 0));
  checksum<<<1, 1>>>(weights, n, sums + size);
  NCCL_OR_DIE(ncclAllGather(sums + size, sums, 1, ncclDouble, comm, 0));
  std::vector<double> host(size + 1);
  CUDA_OR_DIE(cudaMemcpy(host.data(), sums, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  bool same = host[0] != 0.0;
  for (double sum : host) same &= sum == host[0];
  if (rank == 0) {
    printf("weights %s on %d ranks\n", same ? "identical" : "DIFFER", size);
    unlink(path.c_str());
  }
  CUDA_OR_DIE(cudaFree(weights));
  CUDA_OR_DIE(cudaFree(sums));
  NCCL_OR_DIE(ncclCommDestroy(comm));
  return same ? 0 : 1;
}
