// One host thread fills a table on the GPU; the other one waits until it says so.
// ranks: 1
// expect: no findings
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <thread>
#include <vector>

constexpr int kCount = 640;

__global__ void produce(int* table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  table[i] = i * 7 % 31;
}

__global__ void consume(const int* table, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = table[i] + table[kCount - 1 - i];
}

// Each host thread has a stream of its own and waits for its own work only.
void fill(int* table, std::promise<void> filled) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  produce<<<kCount / 128, 128, 0, stream>>>(table);
  cudaStreamSynchronize(stream);
  filled.set_value();
  cudaStreamDestroy(stream);
}

void add_up(const int* table, int* sums, std::future<void> filled) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  filled.wait();
  consume<<<kCount / 128, 128, 0, stream>>>(table, sums);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

int main() {
  int *table, *sums;
  cudaMalloc(&table, kCount * sizeof(int));
  cudaMalloc(&sums, kCount * sizeof(int));
  std::promise<void> filled;
  std::future<void> when_filled = filled.get_future();
  std::thread producer(fill, table, std::move(filled));
  std::thread consumer(add_up, table, sums, std::move(when_filled));
  producer.join();
  consumer.join();
  std::vector<int> got(kCount);
  cudaMemcpy(got.data(), sums, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != i * 7 % 31 + (kCount - 1 - i) * 7 % 31;
  std::printf("%d wrong\n", wrong);
  cudaFree(table);
  cudaFree(sums);
  return wrong != 0;
}
