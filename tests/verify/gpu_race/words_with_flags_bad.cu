// One block hands data to another in words of 8 and 16 bytes that carry their own flag. The reader polls the flag
// alone, and takes the data beside it with a plain load that nothing orders behind it. ranks: 1 expect-finding:
// gpu_race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kCount = 64, kRounds = 3;

struct Word {
  uint32_t low, low_flag, high, high_flag;
};

__device__ void put_pair(Word* word, uint32_t value, uint32_t flag) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"  // FAULT
               ::"l"(word),
               "r"(value), "r"(flag), "r"(~value), "r"(flag)
               : "memory");
}

__device__ uint32_t take_pair(const Word* word, uint32_t flag) {
  while (*static_cast<const volatile uint32_t*>(&word->high_flag) != flag) {
  }
  return word->low ^ ~word->high;  // FAULT
}

__device__ void put_single(uint64_t* word, uint32_t value, uint32_t flag) {
  *static_cast<volatile uint64_t*>(word) = uint64_t{flag} << 32 | value;
}

__device__ uint32_t take_single(const uint64_t* word, uint32_t flag) {
  uint64_t seen;
  do {
    seen = *static_cast<const volatile uint64_t*>(word);
  } while (seen >> 32 != flag);
  return static_cast<uint32_t>(seen);
}

// Block 0 sends pairs, block 1 answers with singles: an answer says that the word may be used again.
__global__ void exchange(Word* pairs, uint64_t* singles, uint32_t* out) {
  uint32_t value = threadIdx.x;
  for (uint32_t round = 1; round <= kRounds; round++) {
    if (blockIdx.x == 0) {
      put_pair(&pairs[threadIdx.x], value + round, round);
      value = take_single(&singles[threadIdx.x], round);
    } else {
      uint32_t sent = take_pair(&pairs[threadIdx.x], round);
      put_single(&singles[threadIdx.x], sent == 0 ? value + 2 * round : 0, round);
      value += 2 * round;
    }
  }
  if (blockIdx.x == 0) out[threadIdx.x] = value;
}

int main() {
  Word* pairs;
  uint64_t* singles;
  uint32_t* out;
  cudaMalloc(&pairs, kCount * sizeof(Word));
  cudaMalloc(&singles, kCount * sizeof(uint64_t));
  cudaMalloc(&out, kCount * sizeof(uint32_t));
  cudaMemset(pairs, 0, kCount * sizeof(Word));
  cudaMemset(singles, 0, kCount * sizeof(uint64_t));
  exchange<<<2, kCount>>>(pairs, singles, out);
  std::vector<uint32_t> host(kCount);
  cudaMemcpy(host.data(), out, kCount * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != static_cast<uint32_t>(i) + kRounds * (kRounds + 1);
  std::printf("%d wrong\n", wrong);
  cudaFree(pairs);
  cudaFree(singles);
  cudaFree(out);
  return wrong != 0;
}
