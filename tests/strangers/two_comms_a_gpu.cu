// stranger: two threads for each GPU, each with a communicator of its own that does not block, and both at work at a time
// ranks: 2
// arguments: 1000
// expect-output: all threads agree
// convert: lsa
// not-yet: optimize the first candidate passes one schedule and deadlocks under others: two threads share each GPU
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <thread>
#include <vector>

#define CUDA(call)                                                        \
  do {                                                                    \
    cudaError_t error = call;                                             \
    if (error != cudaSuccess) {                                           \
      printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

void wait_for(ncclComm_t comm, ncclResult_t result) {
  while (result == ncclInProgress) ncclCommGetAsyncError(comm, &result);
  if (result != ncclSuccess) exit(2);
}

void reduce(int device, int devices, ncclUniqueId id, int size, float scale, float* result) {
  CUDA(cudaSetDevice(device));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm;
  ncclResult_t made = ncclCommInitRankConfig(&comm, devices, id, device, &config);
  wait_for(comm, made);
  std::vector<float> host(size, scale * (device + 1));
  float *send, *recv;
  cudaStream_t stream;
  CUDA(cudaMalloc(&send, size * sizeof(float)));
  CUDA(cudaMalloc(&recv, size * sizeof(float)));
  CUDA(cudaMemcpy(send, host.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 10; i++) wait_for(comm, ncclAllReduce(send, recv, size, ncclFloat, ncclSum, comm, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(host.data(), recv, size * sizeof(float), cudaMemcpyDeviceToHost));
  *result = host[size - 1];
  wait_for(comm, ncclCommFinalize(comm));
  ncclCommDestroy(comm);
  CUDA(cudaFree(send));
  CUDA(cudaFree(recv));
  CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
  int devices = 0, size = argc > 1 ? atoi(argv[1]) : 1 << 20;
  CUDA(cudaGetDeviceCount(&devices));
  ncclUniqueId ids[2];
  for (ncclUniqueId& id : ids) ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  std::vector<float> results(2 * devices);
  for (int set = 0; set < 2; set++)
    for (int device = 0; device < devices; device++)
      threads.emplace_back(reduce, device, devices, ids[set], size, set + 1.0f, &results[set * devices + device]);
  for (std::thread& thread : threads) thread.join();
  float sum = devices * (devices + 1) / 2;
  bool right = true;
  for (int i = 0; i < 2 * devices; i++) right = right && results[i] == sum * (i / devices + 1);
  printf("%s\n", right ? "all threads agree" : "WRONG");
  return right ? 0 : 1;
}
