// The device side of engine.h.
#include "nic/engine.h"

namespace cuco::nic {
namespace {

// A poll of host memory takes a microsecond, whatever it brings. So a warp of its own polls, for four orders at once,
// while the others copy: orders that follow each other closely are there when the copiers are ready.
constexpr uint32_t kFetched = 4;
constexpr uint32_t kQueued = 2 * kFetched;
constexpr uint32_t kOrderWords = sizeof(EngineOrder) / sizeof(uint64_t);
constexpr uint32_t kCopiersBarrier = 1;

struct Queue {
  EngineOrder orders[kQueued];  // Order n is at n % kQueued.
  volatile uint64_t fetched;    // Orders below this number are there. Written by the polling warp.
  volatile uint64_t carried;    // Those below this number are carried out. Written by the first copier.
  volatile uint32_t over;       // No more will come.
  uint64_t until;               // Up to which the copiers go.
};

__device__ uint64_t load(const uint64_t* address) {
  uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

__device__ void store(uint64_t* address, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

// All loads of a thread are under way before its first store; the compiler may not order them so by itself, since the
// ranges might overlap. Loads go past the SM's own cache: the engine lives longer than a message and would see old
// bytes.
template <class Word, int kBatch>
__device__ void copy_words(const EngineOrder& order) {
  const auto* from = reinterpret_cast<const Word*>(order.from);
  auto* to = reinterpret_cast<Word*>(order.to);
  const uint64_t count = order.bytes / sizeof(Word);
  for (uint64_t first = threadIdx.x; first < count; first += uint64_t{kBatch} * kEngineCopiers) {
    Word words[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (first + i * kEngineCopiers < count) words[i] = __ldcg(from + first + i * kEngineCopiers);
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (first + i * kEngineCopiers < count) to[first + i * kEngineCopiers] = words[i];
  }
  const auto* from_rest = reinterpret_cast<const unsigned char*>(from + count);
  auto* to_rest = reinterpret_cast<unsigned char*>(to + count);
  const uint64_t rest = order.bytes - count * sizeof(Word);
  if (threadIdx.x < rest) to_rest[threadIdx.x] = __ldcg(from_rest + threadIdx.x);
}

__device__ void copy_bytes(const EngineOrder& order) {
  if (order.from == 0) {
    if (threadIdx.x < order.bytes)
      reinterpret_cast<unsigned char*>(order.to)[threadIdx.x] = (order.word >> (8 * threadIdx.x)) & 0xff;
    return;
  }
  const uint64_t alignment = order.to | order.from;
  if (alignment % sizeof(uint4) == 0) {
    copy_words<uint4, 4>(order);
  } else if (alignment % sizeof(uint32_t) == 0) {
    copy_words<uint32_t, 8>(order);
  } else {
    copy_words<unsigned char, 8>(order);
  }
}

// Returns how many orders from `number` on are there, at most kFetched; they are in the queue then.
__device__ uint32_t fetch(const EngineOrder* ring, const EngineState* state, uint64_t number, Queue& queue,
                          uint64_t* leave) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t index = lane / kOrderWords;
  const uint64_t* slot = reinterpret_cast<const uint64_t*>(ring + (number + index) % kEngineOrders);
  const uint64_t value = load(slot + lane % kOrderWords);
  *leave = load(&state->leave);
  const bool names_order = lane % 4 == 3;  // The last word of either sector.
  const uint32_t wrong = __ballot_sync(0xffffffffu, names_order && value != number + index + 1);
  reinterpret_cast<uint64_t*>(&queue.orders[(number + index) % kQueued])[lane % kOrderWords] = value;
  return wrong == 0 ? kFetched : (__ffs(static_cast<int>(wrong)) - 1) / kOrderWords;
}

// Run by one warp.
__device__ void poll(const EngineOrder* ring, const EngineState* state, uint64_t launch, uint64_t number,
                     Queue& queue) {
  const bool writes = threadIdx.x % 32 == 0;
  for (;;) {
    const uint64_t carried = __shfl_sync(0xffffffffu, queue.carried, 0);
    if (number - carried > kQueued - kFetched) continue;
    uint64_t leave = 0;
    const uint32_t count = fetch(ring, state, number, queue, &leave);
    leave = __shfl_sync(0xffffffffu, leave, 0);
    if (count == 0 && leave >= launch) break;
    number += count;
    __syncwarp();
    __threadfence_block();
    if (writes) queue.fetched = number;
  }
  __threadfence_block();
  if (writes) queue.over = 1;
}

__device__ void copiers_meet() {
  asm volatile("bar.sync %0, %1;" ::"n"(kCopiersBarrier), "n"(kEngineCopiers) : "memory");
}

// The kernels that wait run on this GPU, so bytes need to be visible no further than on it before the signal is.
__device__ void finish(const EngineOrder& order, EngineState* state, uint64_t number) {
  if (order.bytes) __threadfence();
  if (order.signal) atomicAdd(reinterpret_cast<unsigned long long*>(order.signal), order.add);
  store(&state->finished, number + 1);
}

// Run by all warps but the one that polls.
__device__ void carry_out(EngineState* state, uint64_t number, Queue& queue) {
  for (;;) {
    if (threadIdx.x == 0) {
      while (queue.fetched == number && !queue.over) {
      }
      queue.until = queue.fetched;
      __threadfence_block();
    }
    copiers_meet();
    const uint64_t until = queue.until;
    if (until == number) return;
    for (; number < until; ++number) {
      const EngineOrder& order = queue.orders[number % kQueued];
      copy_bytes(order);
      copiers_meet();
      if (threadIdx.x != 0) continue;
      finish(order, state, number);
      queue.carried = number + 1;
    }
  }
}

}  // namespace
}  // namespace cuco::nic

// One block. `launch` numbers the launches of the process from 1.
extern "C" __global__ void __launch_bounds__(cuco::nic::kEngineThreads)
    cuco_nic_engine(const cuco::nic::EngineOrder* ring, cuco::nic::EngineState* state, uint64_t launch) {
  using namespace cuco::nic;
  __shared__ Queue queue;
  const uint64_t number = load(&state->finished);
  if (threadIdx.x == 0) {
    queue.fetched = queue.carried = number;
    queue.over = 0;
    store(&state->started, launch);
  }
  __syncthreads();
  if (threadIdx.x < kEngineCopiers)
    carry_out(state, number, queue);
  else
    poll(ring, state, launch, number, queue);
}
