// Joining the worker thread waits for the thread, not for the copy that it queued.
// ranks: 2
// expect-finding: host_race
#include <nccl.h>

#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 200;

struct Shard {
  ncclComm_t comm;
  cudaStream_t stream;
  double *device, *host;
};

void work(Shard* shard, int index, int ranks, ncclUniqueId id) {
  cudaSetDevice(index);
  ncclCommInitRank(&shard->comm, ranks, id, index);
  cudaStreamCreateWithFlags(&shard->stream, cudaStreamNonBlocking);
  cudaMalloc(&shard->device, kCount * sizeof(double));
  cudaMallocHost(&shard->host, kCount * sizeof(double));
  for (int i = 0; i < kCount; i++) shard->host[i] = index + 1.0;
  const size_t bytes = kCount * sizeof(double);
  cudaMemcpyAsync(shard->device, shard->host, bytes, cudaMemcpyHostToDevice, shard->stream);
  ncclAllReduce(shard->device, shard->device, kCount, ncclDouble, ncclProd, shard->comm, shard->stream);
  cudaMemcpyAsync(shard->host, shard->device, bytes, cudaMemcpyDeviceToHost, shard->stream);  // FAULT
}

void release(Shard& shard, int index) {
  cudaSetDevice(index);
  cudaStreamSynchronize(shard.stream);
  cudaFree(shard.device);
  cudaFreeHost(shard.host);
  cudaStreamDestroy(shard.stream);
  ncclCommDestroy(shard.comm);
}

int main() {
  const int ranks = 2;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<Shard> shards(ranks);
  std::vector<std::thread> threads;
  for (int i = 0; i < ranks; i++) threads.emplace_back(work, &shards[i], i, ranks, id);
  for (std::thread& thread : threads) thread.join();
  int wrong = 0;
  for (const Shard& shard : shards)
    for (int i = 0; i < kCount; i++) wrong += shard.host[i] != 2.0;  // FAULT
  std::printf("%d wrong\n", wrong);
  for (int i = 0; i < ranks; i++) release(shards[i], i);
  return wrong != 0;
}
