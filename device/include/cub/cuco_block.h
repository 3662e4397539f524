// CUB's block and warp algorithms, over shared memory, barriers and shuffles. Combined in the order of the threads.
#pragma once

#include "cuco/parallel.h"
#include "thrust/functional.h"

#ifdef CUCO_CUDA_SOURCE
namespace cub {

using Sum = thrust::plus<void>;
using Max = thrust::maximum<void>;
using Min = thrust::minimum<void>;
using Equality = thrust::equal_to<void>;
using Inequality = thrust::not_equal_to<void>;
using Difference = thrust::minus<void>;
using Division = thrust::divides<void>;

template <class Key, class Value>
struct KeyValuePair {
  using Key_ = Key;
  Key key;
  Value value;
  __host__ __device__ bool operator!=(const KeyValuePair& other) const {
    return key != other.key || value != other.value;
  }
};
struct ArgMax {
  template <class T, class Key>
  __host__ __device__ KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T>& a, const KeyValuePair<Key, T>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class Key>
  __host__ __device__ KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T>& a, const KeyValuePair<Key, T>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// Threads meet here whatever they did before.
static __device__ __forceinline__ void cuco_meet(const char* where) {
  cuco_meet_at(where);
  cuco_syncthreads();
}

// A place for a T in shared memory, without a constructor.
template <class T>
struct cuco_slot {
  alignas(T) char bytes[sizeof(T)];
  __device__ T get() const { return *(const T*)bytes; }
  __device__ void put(const T& value) { *(T*)bytes = value; }
};

// Shared memory of the block's own for calls without storage: one for each kind of algorithm.
template <class Storage>
__device__ Storage& cuco_private_storage() {
  __shared__ Storage storage;
  return storage;
}

template <class T, int X, int Y = 1, int Z = 1>
struct cuco_block_storage {
  static constexpr int kThreads = X * Y * Z;
  cuco_slot<T> slots[kThreads + 1];
};

template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
 public:
  using TempStorage = cuco_block_storage<T, X, Y, Z>;
  __device__ BlockReduce() : storage_(cuco_private_storage<TempStorage>()) {}
  __device__ explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <class Operation>
  __device__ T Reduce(T input, Operation operation, int valid) {
    unsigned thread = cuco_thread_in_block();
    storage_.slots[thread].put(input);
    cuco_meet("cub::BlockReduce");
    T sum = input;
    if (thread == 0)
      for (int i = 1; i < valid; i++) sum = operation(sum, storage_.slots[i].get());
    return sum;
  }
  template <class Operation>
  __device__ T Reduce(T input, Operation operation) { return Reduce(input, operation, TempStorage::kThreads); }
  template <int Items, class Operation>
  __device__ T Reduce(T (&inputs)[Items], Operation operation) {
    T sum = inputs[0];
    for (int i = 1; i < Items; i++) sum = operation(sum, inputs[i]);
    return Reduce(sum, operation);
  }
  __device__ T Sum(T input) { return Reduce(input, thrust::plus<void>()); }
  __device__ T Sum(T input, int valid) { return Reduce(input, thrust::plus<void>(), valid); }
  template <int Items>
  __device__ T Sum(T (&inputs)[Items]) { return Reduce(inputs, thrust::plus<void>()); }

 private:
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
 public:
  using TempStorage = cuco_block_storage<T, X, Y, Z>;
  __device__ BlockScan() : storage_(cuco_private_storage<TempStorage>()) {}
  __device__ explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  template <class Operation>
  __device__ void InclusiveScan(T input, T& output, Operation operation, T& aggregate) {
    scan(input, operation);
    output = storage_.slots[cuco_thread_in_block()].get();
    aggregate = storage_.slots[TempStorage::kThreads - 1].get();
  }
  template <class Operation>
  __device__ void InclusiveScan(T input, T& output, Operation operation) {
    T aggregate;
    InclusiveScan(input, output, operation, aggregate);
  }
  // Without a start the first thread's output is not defined: here it is its input.
  template <class Operation>
  __device__ void ExclusiveScan(T input, T& output, Operation operation) {
    scan(input, operation);
    unsigned thread = cuco_thread_in_block();
    output = thread == 0 ? input : storage_.slots[thread - 1].get();
  }
  template <class Operation>
  __device__ void ExclusiveScan(T input, T& output, T start, Operation operation, T& aggregate) {
    scan(input, operation);
    unsigned thread = cuco_thread_in_block();
    output = thread == 0 ? start : (T)operation(start, storage_.slots[thread - 1].get());
    aggregate = storage_.slots[TempStorage::kThreads - 1].get();
  }
  template <class Operation>
  __device__ void ExclusiveScan(T input, T& output, T start, Operation operation) {
    T aggregate;
    ExclusiveScan(input, output, start, operation, aggregate);
  }
  template <int Items, class Operation>
  __device__ void InclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operation operation) {
    T sum = inputs[0], before;
    for (int i = 1; i < Items; i++) sum = operation(sum, inputs[i]);
    ExclusiveScan(sum, before, operation);
    bool is_first = cuco_thread_in_block() == 0;
    for (int i = 0; i < Items; i++) {
      before = i == 0 && is_first ? inputs[0] : (T)operation(before, inputs[i]);
      outputs[i] = before;
    }
  }
  template <int Items, class Operation>
  __device__ void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], T start, Operation operation, T& aggregate) {
    T sum = inputs[0], before;
    for (int i = 1; i < Items; i++) sum = operation(sum, inputs[i]);
    ExclusiveScan(sum, before, start, operation, aggregate);
    for (int i = 0; i < Items; i++) {
      T next = operation(before, inputs[i]);
      outputs[i] = before;
      before = next;
    }
  }
  template <int Items, class Operation>
  __device__ void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], T start, Operation operation) {
    T aggregate;
    ExclusiveScan(inputs, outputs, start, operation, aggregate);
  }
  template <class In, class Out>
  __device__ void InclusiveSum(In&& input, Out&& output) { InclusiveScan(input, output, thrust::plus<void>()); }
  __device__ void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, thrust::plus<void>(), aggregate);
  }
  template <class In, class Out>
  __device__ void ExclusiveSum(In&& input, Out&& output) { ExclusiveScan(input, output, T(0), thrust::plus<void>()); }
  template <class In, class Out>
  __device__ void ExclusiveSum(In&& input, Out&& output, T& aggregate) {
    ExclusiveScan(input, output, T(0), thrust::plus<void>(), aggregate);
  }

 private:
  // Leaves the sums up to each thread in the slots.
  template <class Operation>
  __device__ void scan(T input, Operation operation) {
    unsigned thread = cuco_thread_in_block();
    storage_.slots[thread].put(input);
    cuco_meet("cub::BlockScan");
    if (thread == 0)
      for (int i = 1; i < TempStorage::kThreads; i++)
        storage_.slots[i].put(operation(storage_.slots[i - 1].get(), storage_.slots[i].get()));
    cuco_meet("cub::BlockScan");
  }
  TempStorage& storage_;
};

template <class T, int Threads = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  __device__ explicit WarpReduce(TempStorage&) {}
  __device__ WarpReduce() {}

  template <class Operation>
  __device__ T Reduce(T input, Operation operation, int valid) {
    unsigned lane = cuco_lane() % Threads;
    for (int step = 1; step < Threads; step *= 2) {
      T other = shuffled(input, lane + (unsigned)step);
      if ((int)lane + step < valid) input = operation(input, other);
    }
    return input;
  }
  template <class Operation>
  __device__ T Reduce(T input, Operation operation) { return Reduce(input, operation, Threads); }
  __device__ T Sum(T input) { return Reduce(input, thrust::plus<void>()); }
  __device__ T Sum(T input, int valid) { return Reduce(input, thrust::plus<void>(), valid); }

  // Another lane's value, word by word.
  static __device__ T shuffled(const T& value, unsigned lane) {
    constexpr unsigned kMask = Threads == 32 ? 0xffffffffu : (1u << Threads % 32) - 1;
    unsigned first = cuco_lane() / Threads * Threads;
    T result = value;
    for (size_t at = 0; at < sizeof(T); at += 8) {
      size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
      unsigned long long word = 0;
      __builtin_memcpy(&word, (const char*)&value + at, bytes);
      word = __shfl_sync(kMask << first, word, (int)((lane % Threads) + first));
      __builtin_memcpy((char*)&result + at, &word, bytes);
    }
    return result;
  }
};

template <class T, int Threads = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {};
  __device__ explicit WarpScan(TempStorage&) {}
  __device__ WarpScan() {}

  template <class Operation>
  __device__ void InclusiveScan(T input, T& output, Operation operation) {
    unsigned lane = cuco_lane() % Threads;
    for (int step = 1; step < Threads; step *= 2) {
      T other = WarpReduce<T, Threads>::shuffled(input, lane - (unsigned)step);
      if ((int)lane >= step) input = operation(other, input);
    }
    output = input;
  }
  template <class Operation>
  __device__ void InclusiveScan(T input, T& output, Operation operation, T& aggregate) {
    InclusiveScan(input, output, operation);
    aggregate = Broadcast(output, Threads - 1);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T input, T& output, T start, Operation operation) {
    T sum;
    InclusiveScan(input, sum, operation);
    unsigned lane = cuco_lane() % Threads;
    T before = WarpReduce<T, Threads>::shuffled(sum, lane - 1u);
    output = lane == 0 ? start : (T)operation(start, before);
  }
  __device__ void InclusiveSum(T input, T& output) { InclusiveScan(input, output, thrust::plus<void>()); }
  __device__ void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, thrust::plus<void>(), aggregate);
  }
  __device__ void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(0), thrust::plus<void>()); }
  __device__ void ExclusiveSum(T input, T& output, T& aggregate) {
    T sum;
    InclusiveScan(input, sum, thrust::plus<void>(), aggregate);
    output = sum - input;
  }
  __device__ T Broadcast(T input, unsigned lane) { return WarpReduce<T, Threads>::shuffled(input, lane); }
};

// Item i of thread t is element t * Items + i (blocked) or i * threads + t (striped).
template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  __device__ explicit BlockLoad(TempStorage&) {}
  __device__ BlockLoad() {}
  template <class Iterator>
  __device__ void Load(Iterator from, T (&items)[Items]) { load(from, items, X * Y * Z * Items); }
  template <class Iterator>
  __device__ void Load(Iterator from, T (&items)[Items], int valid) { load(from, items, valid); }
  template <class Iterator, class Default>
  __device__ void Load(Iterator from, T (&items)[Items], int valid, Default otherwise) {
    for (T& item : items) item = otherwise;
    load(from, items, valid);
  }

 private:
  template <class Iterator>
  __device__ void load(Iterator from, T (&items)[Items], int valid) {
    int thread = (int)cuco_thread_in_block();
    for (int i = 0; i < Items; i++) {
      int at = Algorithm == BLOCK_LOAD_STRIPED ? i * X * Y * Z + thread : thread * Items + i;
      if (at < valid) items[i] = from[at];
    }
  }
};
template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage {};
  __device__ explicit BlockStore(TempStorage&) {}
  __device__ BlockStore() {}
  template <class Iterator>
  __device__ void Store(Iterator to, T (&items)[Items]) { Store(to, items, X * Y * Z * Items); }
  template <class Iterator>
  __device__ void Store(Iterator to, T (&items)[Items], int valid) {
    int thread = (int)cuco_thread_in_block();
    for (int i = 0; i < Items; i++) {
      int at = Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + thread : thread * Items + i;
      if (at < valid) to[at] = items[i];
    }
  }
};

// Keys, and values beside them, sorted over the block; equal keys keep their order.
struct NullType {};
template <class Key, int X, int Items, class Value = NullType>
class BlockRadixSort {
 public:
  static constexpr int kCount = X * Items;
  struct TempStorage {
    cuco_slot<Key> keys[kCount];
    cuco_slot<Value> values[kCount];
    unsigned order[kCount], spare[kCount];
    unsigned* sorted;
  };
  __device__ BlockRadixSort() : storage_(cuco_private_storage<TempStorage>()) {}
  __device__ explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  __device__ void Sort(Key (&keys)[Items], int = 0, int = 0) { run(keys, (Value*)nullptr, false); }
  __device__ void SortDescending(Key (&keys)[Items], int = 0, int = 0) { run(keys, (Value*)nullptr, true); }
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], int = 0, int = 0) { run(keys, values, false); }
  __device__ void SortDescending(Key (&keys)[Items], Value (&values)[Items], int = 0, int = 0) {
    run(keys, values, true);
  }

 private:
  __device__ void run(Key (&keys)[Items], Value* values, bool descends) {
    unsigned thread = cuco_thread_in_block();
    for (unsigned i = 0; i < Items; i++) {
      storage_.keys[thread * Items + i].put(keys[i]);
      if (values) storage_.values[thread * Items + i].put(values[i]);
      storage_.order[thread * Items + i] = thread * Items + i;
    }
    cuco_meet("cub::BlockRadixSort");
    TempStorage& held = storage_;
    if (thread == 0)
      held.sorted = cuco_parallel::sort_indices(held.order, held.spare, (size_t)kCount, [&](unsigned a, unsigned b) {
        return descends ? held.keys[b].get() < held.keys[a].get() : held.keys[a].get() < held.keys[b].get();
      });
    cuco_meet("cub::BlockRadixSort");
    for (unsigned i = 0; i < Items; i++) {
      unsigned from = held.sorted[thread * Items + i];
      keys[i] = held.keys[from].get();
      if (values) values[i] = held.values[from].get();
    }
  }
  TempStorage& storage_;
};

template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
 public:
  static constexpr int kThreads = X * Y * Z;
  struct TempStorage {
    cuco_slot<T> slots[kThreads * Items];
  };
  __device__ BlockExchange() : storage_(cuco_private_storage<TempStorage>()) {}
  __device__ explicit BlockExchange(TempStorage& storage) : storage_(storage) {}
  __device__ void StripedToBlocked(T (&in)[Items], T (&out)[Items]) { move(in, out, false); }
  __device__ void BlockedToStriped(T (&in)[Items], T (&out)[Items]) { move(in, out, true); }
  __device__ void StripedToBlocked(T (&items)[Items]) { move(items, items, false); }
  __device__ void BlockedToStriped(T (&items)[Items]) { move(items, items, true); }

 private:
  __device__ void move(T (&in)[Items], T (&out)[Items], bool from_blocked) {
    int thread = (int)cuco_thread_in_block();
    for (int i = 0; i < Items; i++)
      storage_.slots[from_blocked ? thread * Items + i : i * kThreads + thread].put(in[i]);
    cuco_meet("cub::BlockExchange");
    for (int i = 0; i < Items; i++)
      out[i] = storage_.slots[from_blocked ? i * kThreads + thread : thread * Items + i].get();
  }
  TempStorage& storage_;
};

static __device__ __forceinline__ unsigned LaneId() { return cuco_lane(); }
static __device__ __forceinline__ unsigned WarpId() { return cuco_thread_in_block() / 32; }
static __device__ __forceinline__ int RowMajorTid(int, int, int) { return (int)cuco_thread_in_block(); }
template <class A, class B>
__host__ __device__ constexpr auto DivideAndRoundUp(A a, B b) { return (a + b - 1) / b; }

}  // namespace cub
#endif
