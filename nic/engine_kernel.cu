// The device side of engine.h.
#include "nic/engine.h"

namespace cuco::nic {
namespace {

__device__ uint64_t load(const uint64_t* address) {
  uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

__device__ void store(uint64_t* address, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

// The engine lives longer than a message: loads that may be served by the SM's own cache would see old bytes.
template <class Word>
__device__ void copy_words(const EngineOrder& order) {
  const auto* from = reinterpret_cast<const Word*>(order.from);
  auto* to = reinterpret_cast<Word*>(order.to);
  const uint64_t count = order.bytes / sizeof(Word);
#pragma unroll 4
  for (uint64_t i = threadIdx.x; i < count; i += kEngineThreads) to[i] = __ldcg(from + i);
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
    copy_words<uint4>(order);
  } else if (alignment % sizeof(uint32_t) == 0) {
    copy_words<uint32_t>(order);
  } else {
    copy_words<unsigned char>(order);
  }
}

// Lanes 0 to 7 read the order, lane 8 whether to go. True when the order with this number is there.
__device__ bool fetch(const EngineOrder* slot, const EngineState* state, uint64_t number, EngineOrder* order,
                      uint64_t* leave) {
  const uint32_t lane = threadIdx.x;
  uint64_t value = 0;
  if (lane < 8) value = load(reinterpret_cast<const uint64_t*>(slot) + lane);
  if (lane == 8) value = load(&state->leave);
  *leave = __shfl_sync(0xffffffffu, value, 8);
  const bool there =
      __shfl_sync(0xffffffffu, value, 3) == number + 1 && __shfl_sync(0xffffffffu, value, 7) == number + 1;
  if (there && lane < 8) reinterpret_cast<uint64_t*>(order)[lane] = value;
  return there;
}

}  // namespace
}  // namespace cuco::nic

// One block. `launch` numbers the launches of the process from 1.
extern "C" __global__ void __launch_bounds__(cuco::nic::kEngineThreads)
    cuco_nic_engine(const cuco::nic::EngineOrder* orders, cuco::nic::EngineState* state, uint64_t launch) {
  using namespace cuco::nic;
  __shared__ EngineOrder order;
  __shared__ bool going;
  uint64_t number = load(&state->finished);
  for (;;) {
    if (threadIdx.x < 32) {
      uint64_t leave = 0;
      bool there = false;
      do {
        there = fetch(orders + number % kEngineOrders, state, number, &order, &leave);
      } while (!there && leave < launch);
      if (threadIdx.x == 0) going = !there;
    }
    __syncthreads();
    if (going) return;
    copy_bytes(order);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence_system();
      if (order.signal) atomicAdd_system(reinterpret_cast<unsigned long long*>(order.signal), order.add);
      __threadfence_system();
      store(&state->finished, number + 1);
    }
    ++number;
    __syncthreads();
  }
}
