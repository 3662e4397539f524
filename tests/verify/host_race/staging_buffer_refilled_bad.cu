// The next chunk is written into the pinned staging buffer while the copy of the last one may still read it.
// ranks: 1
// expect-finding: host_race
#include <cstdio>

constexpr int kChunks = 6;
constexpr int kChunk = 128;

__global__ void add_chunk(const int* chunk, int* total) { atomicAdd(total, chunk[threadIdx.x]); }

struct Staging {
  int* pinned[1];
  cudaEvent_t copied[1];
  static constexpr int kBuffers = 1;
};

void refill(const Staging& staging, int chunk) {
  int buffer = chunk % Staging::kBuffers;
  for (int i = 0; i < kChunk; i++) staging.pinned[buffer][i] = chunk + i;  // FAULT
}

void submit(const Staging& staging, int chunk, int* device, int* total, cudaStream_t stream) {
  int buffer = chunk % Staging::kBuffers;
  const size_t bytes = kChunk * sizeof(int);
  cudaMemcpyAsync(device, staging.pinned[buffer], bytes, cudaMemcpyHostToDevice, stream);  // FAULT
  cudaEventRecord(staging.copied[buffer], stream);
  add_chunk<<<1, kChunk, 0, stream>>>(device, total);
}

int main() {
  Staging staging;
  for (int i = 0; i < Staging::kBuffers; i++) {
    cudaMallocHost(&staging.pinned[i], kChunk * sizeof(int));
    cudaEventCreateWithFlags(&staging.copied[i], cudaEventDisableTiming);
  }
  int *device, *total, result, expected = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&device, kChunk * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemsetAsync(total, 0, sizeof(int), stream);
  for (int chunk = 0; chunk < kChunks; chunk++) {
    refill(staging, chunk);
    submit(staging, chunk, device, total, stream);
    for (int i = 0; i < kChunk; i++) expected += chunk + i;
  }
  cudaStreamSynchronize(stream);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d of %d\n", result, expected);
  for (int i = 0; i < Staging::kBuffers; i++) {
    cudaFreeHost(staging.pinned[i]);
    cudaEventDestroy(staging.copied[i]);
  }
  cudaFree(total);
  cudaFree(device);
  cudaStreamDestroy(stream);
  return result != expected;
}
