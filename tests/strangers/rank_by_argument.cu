// stranger: each process is told its rank on the command line; the unique id is a file that rank 0 writes; kernels share a name
// ranks: 3
// arguments: --rank {rank} --of {ranks} --id ids.bin --cells 500
// expect-output: rank 2 of 3 has the sum 187125.0
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#define DO(call) do { auto code = (call); if (code != 0) { std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, (int)code); std::exit(3); } } while (0)

__global__ void fill(double* x, int n, double value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value * i;
}
__global__ void fill(double* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
__global__ void total(const double* x, int n, double* out) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  *out = sum;
}

struct Settings {
  int rank = -1, of = 0, cells = 0;
  std::string id;
};

static Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--rank")) s.rank = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--of")) s.of = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--cells")) s.cells = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--id")) s.id = argv[i + 1];
  }
  if (s.rank < 0 || s.rank >= s.of || s.cells <= 0) {
    std::fprintf(stderr, "usage: %s --rank R --of N --id FILE --cells C\n", argv[0]);
    std::exit(2);
  }
  return s;
}

static ncclUniqueId shared_id(const Settings& s) {
  ncclUniqueId id;
  if (s.rank == 0) {
    DO(ncclGetUniqueId(&id));
    FILE* file = std::fopen((s.id + ".part").c_str(), "wb");
    std::fwrite(&id, sizeof id, 1, file);
    std::fclose(file);
    std::rename((s.id + ".part").c_str(), s.id.c_str());
    return id;
  }
  FILE* file;
  while ((file = std::fopen(s.id.c_str(), "rb")) == nullptr) usleep(500);
  if (std::fread(&id, sizeof id, 1, file) != 1) std::exit(4);
  std::fclose(file);
  return id;
}

int main(int argc, char** argv) {
  Settings s = parse(argc, argv);
  DO(cudaSetDevice(s.rank));
  ncclComm_t comm;
  DO(ncclCommInitRank(&comm, s.of, shared_id(s), s.rank));
  cudaStream_t stream;
  DO(cudaStreamCreate(&stream));
  double *own, *sum, *result, host = 0;
  size_t bytes = s.cells * sizeof(double);
  DO(cudaMalloc(&own, bytes));
  DO(cudaMalloc(&sum, bytes));
  DO(cudaMalloc(&result, sizeof host));
  dim3 grid((s.cells + 127) / 128), block(128);
  fill<<<grid, block, 0, stream>>>(sum, s.cells);
  fill<<<grid, block, 0, stream>>>(own, s.cells, 0.25 * (s.rank + 1));
  DO(ncclAllReduce(own, sum, s.cells, ncclDouble, ncclSum, comm, stream));
  total<<<1, 1, 0, stream>>>(sum, s.cells, result);
  DO(cudaMemcpyAsync(&host, result, sizeof host, cudaMemcpyDeviceToHost, stream));
  DO(cudaStreamSynchronize(stream));
  std::printf("rank %d of %d has the sum %.1f\n", s.rank, s.of, host);
  if (s.rank == 0) unlink(s.id.c_str());
  cudaFree(own);
  cudaFree(sum);
  cudaFree(result);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  return 0;
}
