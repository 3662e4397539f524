// stranger: one process drives all GPUs of the machine: ncclCommInitAll and loops over the devices, everything in plain arrays
// ranks: 4
// arguments: 1000
// expect-output: 4 devices: all hold the sum
// convert: lsa gin
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_GPUS 16

#define CUDA_CHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) { \
  printf("CUDA failure %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)
#define NCCL_CHECK(cmd) do { ncclResult_t r = cmd; if (r != ncclSuccess) { \
  printf("NCCL failure %s:%d '%s'\n", __FILE__, __LINE__, ncclGetErrorString(r)); exit(EXIT_FAILURE); } } while (0)

__global__ void fill(float *x, int n, int device) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) x[i] = (float)(device + 1) * (i % 10);
}

__global__ void halve(float *x, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) x[i] *= 0.5f;
}

int main(int argc, char *argv[]) {
  int n = argc > 1 ? atoi(argv[1]) : 32 * 1024 * 1024;
  int nDev = 0;
  CUDA_CHECK(cudaGetDeviceCount(&nDev));
  if (nDev > MAX_GPUS) nDev = MAX_GPUS;
  ncclComm_t comms[MAX_GPUS];
  int devs[MAX_GPUS];
  float *sendbuff[MAX_GPUS], *recvbuff[MAX_GPUS];
  cudaStream_t s[MAX_GPUS];
  cudaEvent_t start[MAX_GPUS], stop[MAX_GPUS];
  for (int i = 0; i < nDev; ++i) devs[i] = i;

  for (int i = 0; i < nDev; ++i) {
    CUDA_CHECK(cudaSetDevice(i));
    CUDA_CHECK(cudaMalloc((void **)&sendbuff[i], n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&recvbuff[i], n * sizeof(float)));
    CUDA_CHECK(cudaMemset(recvbuff[i], 0, n * sizeof(float)));
    CUDA_CHECK(cudaStreamCreate(&s[i]));
    CUDA_CHECK(cudaEventCreate(&start[i]));
    CUDA_CHECK(cudaEventCreate(&stop[i]));
  }
  NCCL_CHECK(ncclCommInitAll(comms, nDev, devs));

  for (int i = 0; i < nDev; ++i) {
    CUDA_CHECK(cudaSetDevice(devs[i]));
    CUDA_CHECK(cudaEventRecord(start[i], s[i]));
    fill<<<(n + 255) / 256, 256, 0, s[i]>>>(sendbuff[i], n, i);
  }
  NCCL_CHECK(ncclGroupStart());
  for (int i = 0; i < nDev; ++i)
    NCCL_CHECK(ncclAllReduce((const void *)sendbuff[i], (void *)recvbuff[i], n, ncclFloat, ncclSum, comms[i], s[i]));
  NCCL_CHECK(ncclGroupEnd());
  for (int i = 0; i < nDev; ++i) {
    CUDA_CHECK(cudaSetDevice(devs[i]));
    halve<<<(n + 255) / 256, 256, 0, s[i]>>>(recvbuff[i], n);
    CUDA_CHECK(cudaEventRecord(stop[i], s[i]));
  }

  float *h = (float *)malloc(n * sizeof(float)), slowest = 0;
  int wrong = 0;
  for (int i = 0; i < nDev; ++i) {
    CUDA_CHECK(cudaSetDevice(i));
    CUDA_CHECK(cudaStreamSynchronize(s[i]));
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start[i], stop[i]));
    if (ms > slowest) slowest = ms;
    CUDA_CHECK(cudaMemcpy(h, recvbuff[i], n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int j = 0; j < n; ++j) wrong += h[j] != 0.25f * nDev * (nDev + 1) * (j % 10);
  }
  fprintf(stderr, "%.3f ms\n", slowest);
  printf("%d devices: %s\n", nDev, wrong ? "WRONG" : "all hold the sum");

  for (int i = 0; i < nDev; ++i) {
    CUDA_CHECK(cudaSetDevice(i));
    CUDA_CHECK(cudaFree(sendbuff[i]));
    CUDA_CHECK(cudaFree(recvbuff[i]));
    CUDA_CHECK(cudaEventDestroy(start[i]));
    CUDA_CHECK(cudaEventDestroy(stop[i]));
    CUDA_CHECK(cudaStreamDestroy(s[i]));
    ncclCommDestroy(comms[i]);
  }
  free(h);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
