// stranger: one process, no MPI: communicators are made one by one inside a group, streams do not block, sends go round a ring of devices
// ranks: 4
// arguments: 513
// expect-output: ring of 4 devices correct
// convert: lsa gin
#include <cuda_runtime.h>
#include <nccl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(call)                                                             \
  {                                                                                  \
    cudaError_t status = call;                                                       \
    if (status != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                                       \
    }                                                                                \
  }
__global__ void fill(float* p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v + i;
}

#define CHECK_NCCL(call)                                                             \
  {                                                                                  \
    ncclResult_t status = call;                                                      \
    if (status != ncclSuccess) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(status)); \
      exit(1);                                                                       \
    }                                                                                \
  }

struct Gpu {
  int id;
  ncclComm_t comm;
  cudaStream_t stream;
  float *out, *in;
};

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20, count = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  std::vector<Gpu> gpus(count);
  ncclUniqueId id;
  CHECK_NCCL(ncclGetUniqueId(&id));
  CHECK_NCCL(ncclGroupStart());
  for (int g = 0; g < count; ++g) {
    gpus[g].id = g;
    CHECK_CUDA(cudaSetDevice(g));
    CHECK_NCCL(ncclCommInitRank(&gpus[g].comm, count, id, g));
  }
  CHECK_NCCL(ncclGroupEnd());
  for (auto& gpu : gpus) {
    CHECK_CUDA(cudaSetDevice(gpu.id));
    CHECK_CUDA(cudaStreamCreateWithFlags(&gpu.stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaMalloc((void**)&gpu.out, n * sizeof(float)));
    CHECK_CUDA(cudaMalloc((void**)&gpu.in, n * sizeof(float)));
    fill<<<(n + 255) / 256, 256, 0, gpu.stream>>>(gpu.out, n, 1000.0f * gpu.id);
  }
  CHECK_NCCL(ncclGroupStart());
  for (auto& gpu : gpus) {
    CHECK_NCCL(ncclSend(gpu.out, n, ncclFloat, (gpu.id + 1) % count, gpu.comm, gpu.stream));
    CHECK_NCCL(ncclRecv(gpu.in, n, ncclFloat, (gpu.id + count - 1) % count, gpu.comm, gpu.stream));
  }
  CHECK_NCCL(ncclGroupEnd());
  int wrong = 0;
  std::vector<float> host(n);
  for (auto& gpu : gpus) {
    CHECK_CUDA(cudaSetDevice(gpu.id));
    CHECK_CUDA(cudaMemcpyAsync(host.data(), gpu.in, n * sizeof(float), cudaMemcpyDeviceToHost, gpu.stream));
    CHECK_CUDA(cudaStreamSynchronize(gpu.stream));
    for (int i = 0; i < n; ++i) wrong += host[i] != 1000.0f * ((gpu.id + count - 1) % count) + i;
  }
  printf("ring of %d devices %s\n", count, wrong ? "WRONG" : "correct");
  for (auto& gpu : gpus) {
    CHECK_CUDA(cudaSetDevice(gpu.id));
    CHECK_CUDA(cudaFree(gpu.out));
    CHECK_CUDA(cudaFree(gpu.in));
    CHECK_CUDA(cudaStreamDestroy(gpu.stream));
    CHECK_NCCL(ncclCommDestroy(gpu.comm));
  }
  return wrong != 0;
}
