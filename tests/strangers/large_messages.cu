// stranger: sizes as on real machines: constant, large, mostly sent as they are; a fallback for older releases of NCCL
// ranks: 2
// expect-output: 134217728 bytes: 0 wrong of 33554432
// share: all
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#define CUDACHECK(cmd)                                                                        \
  do {                                                                                        \
    cudaError_t e = (cmd);                                                                    \
    if (e != cudaSuccess) {                                                                   \
      printf("Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e));            \
      exit(EXIT_FAILURE);                                                                     \
    }                                                                                         \
  } while (0)
#define NCCLCHECK(cmd)                                                                                               \
  do {                                                                                                               \
    ncclResult_t r = (cmd);                                                                                          \
    if (r != ncclSuccess) {                                                                                          \
      printf("NCCL error %s:%d '%s' (%s)\n", __FILE__, __LINE__, ncclGetErrorString(r), ncclGetLastError(NULL));      \
      exit(EXIT_FAILURE);                                                                                            \
    }                                                                                                                \
  } while (0)

// NCCL before 2.13 has none.
extern "C" __attribute__((weak)) const char* ncclGetLastError(ncclComm_t) { return "unknown"; }

const int kDevices = 2;
const size_t kCount = 32 * 1024 * 1024;
const size_t kBytes = kCount * sizeof(float);
const size_t kArenaBytes = (size_t)8 * 1024 * 1024 * 1024;  // Room for the largest test.

int main() {
  int devices[kDevices] = {0, 1};
  ncclComm_t comms[kDevices];
  cudaStream_t streams[kDevices];
  char* arena[kDevices];
  float *sent[kDevices], *received[kDevices];
  std::vector<float> host(kCount);
  NCCLCHECK(ncclCommInitAll(comms, kDevices, devices));
  for (int i = 0; i < kDevices; i++) {
    CUDACHECK(cudaSetDevice(i));
    CUDACHECK(cudaStreamCreate(&streams[i]));
    CUDACHECK(cudaMalloc((void**)&arena[i], kArenaBytes));
    sent[i] = (float*)arena[i];
    received[i] = (float*)(arena[i] + kBytes);
    for (size_t j = 0; j < kCount; j++) host[j] = (float)(i * 1000 + j % 1000);
    CUDACHECK(cudaMemcpy(sent[i], host.data(), kBytes, cudaMemcpyHostToDevice));
  }
  for (int iteration = 0; iteration < 20; iteration++) {
    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < kDevices; i++) {
      NCCLCHECK(ncclSend(sent[i], kCount, ncclFloat, 1 - i, comms[i], streams[i]));
      NCCLCHECK(ncclRecv(received[i], kCount, ncclFloat, 1 - i, comms[i], streams[i]));
    }
    NCCLCHECK(ncclGroupEnd());
    for (int i = 0; i < kDevices; i++) CUDACHECK(cudaStreamSynchronize(streams[i]));
  }
  long wrong = 0;
  for (int i = 0; i < kDevices; i++) {
    CUDACHECK(cudaSetDevice(i));
    CUDACHECK(cudaMemcpy(host.data(), received[i], kBytes, cudaMemcpyDeviceToHost));
    for (size_t j = 0; j < kCount; j++) wrong += host[j] != (float)((1 - i) * 1000 + j % 1000);
    CUDACHECK(cudaFree(arena[i]));
    CUDACHECK(cudaStreamDestroy(streams[i]));
    NCCLCHECK(ncclCommDestroy(comms[i]));
  }
  printf("%zu bytes: %ld wrong of %zu\n", kBytes, wrong, kCount);
  return wrong != 0;
}
