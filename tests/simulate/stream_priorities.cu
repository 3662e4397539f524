// Blocks of a stream of higher priority start before those that were launched earlier on one of lower priority.
// ranks: 1
// expect: ok
// expect: the urgent kernel ends first
#include <cuda_runtime.h>

#include <cstdio>

__global__ void work() {
  if (threadIdx.x == 0) __nanosleep(20000);
}

int main() {
  constexpr int kBlocks = 600, kThreads = 1024;  // More than twice as many as a GPU of the profile holds.
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t patient, urgent;
  cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least);
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);
  cudaEvent_t patient_done, urgent_done;
  cudaEventCreate(&patient_done);
  cudaEventCreate(&urgent_done);
  work<<<kBlocks, kThreads, 0, patient>>>();
  work<<<kBlocks, kThreads, 0, urgent>>>();
  cudaEventRecord(patient_done, patient);
  cudaEventRecord(urgent_done, urgent);
  cudaDeviceSynchronize();
  float between = 0;
  cudaEventElapsedTime(&between, urgent_done, patient_done);
  std::printf("the %s kernel ends first\n", between > 0 ? "urgent" : "patient");
  for (cudaStream_t stream : {patient, urgent}) cudaStreamDestroy(stream);
  for (cudaEvent_t event : {patient_done, urgent_done}) cudaEventDestroy(event);
}
