// The pipeline computes on the slot loaded in the previous round and skips the first round, which has none.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kChunks = 6;
constexpr int kChunk = 256;

__global__ void add_chunk(const int* chunk, unsigned* total) {
  atomicAdd(total, static_cast<unsigned>(chunk[threadIdx.x]));
}

struct Pipeline {
  int* slots[2];
  cudaEvent_t loaded[2], consumed[2];
  cudaStream_t copy, compute;

  Pipeline() {
    cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) {
      cudaMalloc(&slots[i], kChunk * sizeof(int));
      cudaEventCreateWithFlags(&loaded[i], cudaEventDisableTiming);
      cudaEventCreateWithFlags(&consumed[i], cudaEventDisableTiming);
    }
  }
  ~Pipeline() {
    for (int i = 0; i < 2; i++) {
      cudaFree(slots[i]);
      cudaEventDestroy(loaded[i]);
      cudaEventDestroy(consumed[i]);
    }
    cudaStreamDestroy(copy);
    cudaStreamDestroy(compute);
  }
  void load(const int* source, int slot) {
    cudaStreamWaitEvent(copy, consumed[slot], 0);
    cudaMemcpyAsync(slots[slot], source, kChunk * sizeof(int), cudaMemcpyHostToDevice, copy);
    cudaEventRecord(loaded[slot], copy);
  }
  void consume(int slot, unsigned* total) {
    cudaStreamWaitEvent(compute, loaded[slot], 0);
    add_chunk<<<1, kChunk, 0, compute>>>(slots[slot], total);
    cudaEventRecord(consumed[slot], compute);
  }
};

int main() {
  int* host;
  unsigned *total, result;
  cudaMallocHost(&host, kChunks * kChunk * sizeof(int));
  for (int i = 0; i < kChunks * kChunk; i++) host[i] = i % 7;
  cudaMalloc(&total, sizeof(unsigned));
  {
    Pipeline pipeline;
    cudaMemsetAsync(total, 0, sizeof(unsigned), pipeline.compute);
    for (int round = 0; round <= kChunks; round++) {
      if (round < kChunks) pipeline.load(host + round * kChunk, round % 2);
      if (round > 0) pipeline.consume((round + 1) % 2, total);
    }
    cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, pipeline.compute);
    cudaStreamSynchronize(pipeline.compute);
  }
  unsigned expected = 0;
  for (int i = 0; i < kChunks * kChunk; i++) expected += host[i];
  std::printf("%u of %u\n", result, expected);
  cudaFree(total);
  cudaFreeHost(host);
  return result != expected;
}
