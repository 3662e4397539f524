// Messages are padded to the capacity; the consumer adds up the whole row, padding that no one ever wrote included.
// ranks: 3
// expect-finding: unwritten_read
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCapacity = 32;

__host__ __device__ int tokens_for(int source, int target) { return 8 + 4 * ((source + 2 * target) % 3); }

__global__ void pack(float* rows, int source) {
  int target = blockIdx.x;
  int token = threadIdx.x;
  if (token < tokens_for(source, target)) rows[target * kCapacity + token] = source * 100.0f + token;
}

__global__ void add_rows(const float* rows, float* sums, int target) {
  int source = threadIdx.x;
  float sum = 0;
  for (int token = 0; token < kCapacity; token++) sum += rows[source * kCapacity + token];  // FAULT
  sums[source] = sum;
}

void exchange(const float* send, float* receive, int ranks, ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  for (int peer = 0; peer < ranks; peer++) {
    ncclSend(send + peer * kCapacity, kCapacity, ncclFloat, peer, comm, stream);
    ncclRecv(receive + peer * kCapacity, kCapacity, ncclFloat, peer, comm, stream);
  }
  ncclGroupEnd();
}

int wrong_sums(const std::vector<float>& sums, int target) {
  int wrong = 0;
  for (int source = 0; source < static_cast<int>(sums.size()); source++) {
    int tokens = tokens_for(source, target);
    wrong += sums[source] != tokens * source * 100.0f + tokens * (tokens - 1) / 2;
  }
  return wrong;
}

std::atomic<int> wrong{0};

void run_rank(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *send, *receive, *sums;
  cudaMalloc(&send, ranks * kCapacity * sizeof(float));
  cudaMalloc(&receive, ranks * kCapacity * sizeof(float));
  cudaMalloc(&sums, ranks * sizeof(float));
  pack<<<ranks, kCapacity, 0, stream>>>(send, rank);
  exchange(send, receive, ranks, comm, stream);
  add_rows<<<1, ranks, 0, stream>>>(receive, sums, rank);
  std::vector<float> host(ranks);
  cudaMemcpyAsync(host.data(), sums, ranks * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  wrong += wrong_sums(host, rank);
  for (float* buffer : {send, receive, sums}) cudaFree(buffer);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
}

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++) threads.emplace_back(run_rank, rank, ranks, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
