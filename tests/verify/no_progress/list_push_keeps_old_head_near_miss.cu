// A push onto a linked list takes the head that the failed attempt has seen.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <cuda/atomic>

constexpr int kBlocks = 6;
constexpr int kThreads = 32;
constexpr int kNone = -1;

struct List {
  int head;
  int next[kBlocks * kThreads];
};

__global__ void push_all(List* list) {
  cuda::atomic_ref<int, cuda::thread_scope_device> head(list->head);
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  int seen = head.load(cuda::memory_order_relaxed);
  __syncthreads();
  list->next[node] = seen;
  while (!head.compare_exchange_strong(seen, node)) list->next[node] = seen;
  list->next[node] = seen;
}

int main() {
  List host{};
  host.head = kNone;
  List* list;
  cudaMalloc(&list, sizeof(List));
  cudaMemcpy(list, &host, sizeof(List), cudaMemcpyHostToDevice);
  push_all<<<kBlocks, kThreads>>>(list);
  cudaMemcpy(&host, list, sizeof(List), cudaMemcpyDeviceToHost);
  int length = 0;
  for (int node = host.head; node != kNone; node = host.next[node]) length++;
  bool wrong = length != kBlocks * kThreads;
  std::printf("%d wrong\n", wrong);
  cudaFree(list);
  return wrong;
}
