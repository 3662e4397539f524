// Blocks of a stream of higher priority start before those that were launched earlier on one of lower priority.
// ranks: 1
// expect: ok
// expect: the urgent kernel ends first
#include <cuda_runtime.h>

#include <cstdio>

__global__ void work(float* out, int rounds) {
  float sum = threadIdx.x;
  for (int i = 0; i < rounds; i++) sum = sum * 0.5f + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  constexpr int kBlocks = 4096, kThreads = 1024;
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t patient, urgent;
  cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);
  cudaEvent_t patient_done, urgent_done;
  cudaEventCreate(&patient_done);
  cudaEventCreate(&urgent_done);
  float* out;
  cudaMalloc(&out, 2 * sizeof(float) * kBlocks * kThreads);
  work<<<kBlocks, kThreads, 0, patient>>>(out, 64);
  work<<<kBlocks, kThreads, 0, urgent>>>(out + kBlocks * kThreads, 64);
  cudaEventRecord(patient_done, patient);
  cudaEventRecord(urgent_done, urgent);
  cudaDeviceSynchronize();
  float between = 0;
  cudaEventElapsedTime(&between, urgent_done, patient_done);
  std::printf("the %s kernel ends first\n", between > 0 ? "urgent" : "patient");
  cudaFree(out);
  for (cudaStream_t stream : {patient, urgent}) cudaStreamDestroy(stream);
  for (cudaEvent_t event : {patient_done, urgent_done}) cudaEventDestroy(event);
}
