// Each phase of the sort synchronises inside the branch of the threads that compare; the others are a phase ahead.
// ranks: 2
// expect-finding: divergent_barrier
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kKeys = 64;
std::atomic<int> wrong{0};

struct OutOfOrder {
  __device__ bool operator()(int a, int b) const { return a > b; }
};

template <typename MustSwap>
__global__ void odd_even_sort(int* keys, MustSwap must_swap) {
  __shared__ int shared[kKeys];
  int i = threadIdx.x;
  shared[i] = keys[i];
  __syncthreads();
  for (int phase = 0; phase < kKeys; phase++) {
    if (i % 2 == phase % 2 && i + 1 < kKeys) {
      int low = shared[i], high = shared[i + 1];
      if (must_swap(low, high)) {
        shared[i] = high;
        shared[i + 1] = low;
      }
      __syncthreads();  // FAULT
    }
  }
  __syncthreads();  // FAULT
  keys[i] = shared[i];
}

// Every rank sorts its own keys; the collective then picks the element-wise smaller of both ranks.
void run_rank(int rank, int count, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  std::vector<int> host(kKeys), got(kKeys);
  for (int i = 0; i < kKeys; i++) host[i] = (i * 29 + rank * 7) % 101;
  int* keys;
  CHECK(cudaMalloc(&keys, kKeys * sizeof(int)));
  CHECK(cudaMemcpy(keys, host.data(), kKeys * sizeof(int), cudaMemcpyHostToDevice));
  odd_even_sort<<<1, kKeys>>>(keys, OutOfOrder());
  CHECK(cudaMemcpy(got.data(), keys, kKeys * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end());
  wrong += host != got;
  CHECK(ncclAllReduce(keys, keys, kKeys, ncclInt, ncclMin, comm, nullptr));
  CHECK(cudaMemcpy(got.data(), keys, kKeys * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kKeys; i++) wrong += got[i] > host[i];
  CHECK(cudaFree(keys));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  const int count = 2;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank, count, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
