// Blocks that wait for a flag through a volatile pointer of a template's type.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cstdio>

template <typename T>
__device__ T wait_until_set(volatile T* flag) {
  while (*flag == T(0)) {
  }
  return *flag;
}

template <typename T, int Slots>
struct Mailbox {
  T slots[Slots];
  __device__ T take(int slot) {
    volatile T* place = slots;
    T value;
    do {
      value = place[slot];
    } while (!value);
    return value;
  }
};

template <typename T, int Slots>
__global__ void exchange(Mailbox<T, Slots>* box, T* flag, T* out) {
  if (blockIdx.x + 1 == gridDim.x) {
    for (int slot = 0; slot < Slots; slot++) atomicExch(&box->slots[slot], T(slot + 5));
    __threadfence();
    atomicExch(flag, T(7));
    return;
  }
  if (threadIdx.x > 0) return;
  T first = wait_until_set<T>(flag);
  out[blockIdx.x] = first + box->take(blockIdx.x);
}

int main() {
  using Box = Mailbox<unsigned, 4>;
  Box* box;
  unsigned *flag, *out, host[4];
  cudaMalloc(&box, sizeof(Box));
  cudaMalloc(&flag, sizeof(unsigned));
  cudaMalloc(&out, sizeof host);
  cudaMemset(box, 0, sizeof(Box));
  cudaMemset(flag, 0, sizeof(unsigned));
  exchange<<<5, 32>>>(box, flag, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(box);
  cudaFree(flag);
  cudaFree(out);
  int wrong = 0;
  for (unsigned i = 0; i < 4; i++) wrong += host[i] != 12 + i;
  std::printf("%d wrong\n", wrong);
  return wrong;
}
