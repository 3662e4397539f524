// CUB's algorithms over a device. A first call without storage says how much it wants; the second works in it.
#pragma once

#include "cub/cuco_block.h"
#include "thrust/detail/iterators.h"

#ifdef CUCO_CUDA_SOURCE
namespace cub {

template <class T>
using CountingInputIterator = thrust::counting_iterator<T>;
template <class T>
using ConstantInputIterator = thrust::constant_iterator<T>;
template <class Value, class Function, class Iterator>
struct TransformInputIterator : thrust::transform_iterator<Function, Iterator> {
  __host__ __device__ TransformInputIterator(Iterator base, Function function)
      : thrust::transform_iterator<Function, Iterator>(base, function) {}
};

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector;
  __host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  __host__ __device__ DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate}, selector(0) {}
  __host__ __device__ T* Current() { return d_buffers[selector]; }
  __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

namespace cuco {

template <class Iterator>
using value_of = thrust::value_of<Iterator>;

// Whether the call only asks for the size; else whether the storage is large enough.
inline bool asks_for_size(void* storage, size_t& bytes, size_t wanted) {
  if (storage) return false;
  bytes = wanted > 0 ? wanted : 1;
  return true;
}
template <class Body>
cudaError_t run(void* storage, size_t& bytes, size_t wanted, size_t moved, size_t operations, cudaStream_t stream,
                Body body) {
  if (asks_for_size(storage, bytes, wanted)) return cudaSuccess;
  if (bytes < wanted) return cudaErrorInvalidValue;
  return cuco_parallel::run_in_order(stream, moved, operations, body);
}

template <class In, class Out, class T, class Operation>
cudaError_t reduce(void* storage, size_t& bytes, In input, Out output, size_t count, T start, Operation operation,
                   cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    T sum = start;
    for (size_t i = 0; i < count; i++) sum = operation(sum, in[i]);
    *out = sum;
  });
}
template <class In, class Out, class Operation>
cudaError_t reduce_from_first(void* storage, size_t& bytes, In input, Out output, size_t count, Operation operation,
                              cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    if (count == 0) return;
    value_of<In> sum = in[0];
    for (size_t i = 1; i < count; i++) sum = operation(sum, (value_of<In>)in[i]);
    *out = sum;
  });
}
template <class In, class Out, class Operation>
cudaError_t reduce_indexed(void* storage, size_t& bytes, In input, Out output, size_t count, Operation operation,
                           cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    if (count == 0) return;
    KeyValuePair<int, value_of<In>> best{0, in[0]};
    for (size_t i = 1; i < count; i++) best = operation(best, KeyValuePair<int, value_of<In>>{(int)i, in[i]});
    out->key = best.key, out->value = best.value;
  });
}
template <class In, class Out, class Operation>
cudaError_t scan(void* storage, size_t& bytes, In input, Out output, size_t count, Operation operation,
                 cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, 2 * count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    value_of<In> sum{};
    for (size_t i = 0; i < count; i++) {
      sum = i == 0 ? (value_of<In>)in[0] : (value_of<In>)operation(sum, (value_of<In>)in[i]);
      out[i] = sum;
    }
  });
}
template <class In, class Out, class T, class Operation>
cudaError_t scan_from(void* storage, size_t& bytes, In input, Out output, size_t count, T start, Operation operation,
                      cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, 2 * count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    T sum = start;
    for (size_t i = 0; i < count; i++) {
      T before = sum;
      sum = operation(sum, (value_of<In>)in[i]);
      out[i] = before;
    }
  });
}
template <class In, class Flags, class Out, class Count, class Predicate>
cudaError_t select(void* storage, size_t& bytes, In input, Flags flags, Out output, Count total, size_t count,
                   Predicate predicate, cudaStream_t stream) {
  auto in = thrust::raw(input);
  auto at = thrust::raw(flags);
  auto out = thrust::raw(output);
  return run(storage, bytes, 256, 2 * count * sizeof(value_of<In>), count, stream, [=] __host__ __device__() mutable {
    size_t next = 0;
    for (size_t i = 0; i < count; i++)
      if (predicate(at[i])) out[next++] = (value_of<In>)in[i];
    *total = (std::remove_reference_t<decltype(*total)>)next;
  });
}
struct is_set {
  template <class T>
  __host__ __device__ bool operator()(const T& flag) const { return (bool)flag; }
};

// As one radix sort with eight bits a pass: the order of the bits in the window, of signed numbers and of floats alike.
template <class Key>
__host__ __device__ auto sorted_part(Key key, int begin_bit, int end_bit) {
  if constexpr (std::is_integral_v<Key>) {
    using bits = std::make_unsigned_t<std::conditional_t<std::is_same_v<Key, bool>, unsigned char, Key>>;
    bits value = (bits)key;
    if (std::is_signed_v<Key>) value ^= (bits)((bits)1 << (8 * sizeof(Key) - 1));
    int width = end_bit - begin_bit;
    value = (bits)(value >> begin_bit);
    return width < (int)(8 * sizeof(Key)) ? (bits)(value & (bits)(((bits)1 << width) - 1)) : value;
  } else {
    return key;
  }
}
template <class Key, class Value>
cudaError_t sort(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values, Value* out_values,
                 size_t count, int begin_bit, int end_bit, bool descends, cudaStream_t stream) {
  size_t wanted = 2 * count * sizeof(unsigned) + 256;
  size_t moved = 2 * sizeof(Key) * count * (sizeof(Key) + (values ? sizeof(Value) : 0));
  unsigned *order = (unsigned*)storage, *spare = order + count;
  return run(storage, bytes, wanted, moved, sizeof(Key) * count, stream, [=] __host__ __device__() mutable {
    for (size_t i = 0; i < count; i++) order[i] = (unsigned)i;
    const unsigned* sorted = cuco_parallel::sort_indices(order, spare, count, [=](unsigned a, unsigned b) {
      auto first = sorted_part(in[descends ? b : a], begin_bit, end_bit);
      return first < sorted_part(in[descends ? a : b], begin_bit, end_bit);
    });
    for (size_t i = 0; i < count; i++) out[i] = in[sorted[i]];
    if (values)
      for (size_t i = 0; i < count; i++) out_values[i] = values[sorted[i]];
  });
}

}  // namespace cuco

struct DeviceReduce {
  template <class In, class Out, class Operation, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, size_t count, Operation operation, T start,
                            cudaStream_t stream = 0) {
    return cuco::reduce(storage, bytes, in, out, count, start, operation, stream);
  }
  template <class In, class Out>
  static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::reduce(storage, bytes, in, out, count, cuco::value_of<In>(0), thrust::plus<void>(), stream);
  }
  template <class In, class Out>
  static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::reduce_from_first(storage, bytes, in, out, count, thrust::minimum<void>(), stream);
  }
  template <class In, class Out>
  static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::reduce_from_first(storage, bytes, in, out, count, thrust::maximum<void>(), stream);
  }
  template <class In, class Out>
  static cudaError_t ArgMin(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::reduce_indexed(storage, bytes, in, out, count, cub::ArgMin(), stream);
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::reduce_indexed(storage, bytes, in, out, count, cub::ArgMax(), stream);
  }
  template <class Keys, class Unique, class Values, class Sums, class Groups, class Operation>
  static cudaError_t ReduceByKey(void* storage, size_t& bytes, Keys keys, Unique unique, Values values, Sums sums,
                                 Groups groups, Operation operation, size_t count, cudaStream_t stream = 0) {
    size_t moved = 2 * count * (sizeof(cuco::value_of<Keys>) + sizeof(cuco::value_of<Values>));
    auto in = thrust::raw(keys);
    auto held = thrust::raw(values);
    auto out = thrust::raw(unique);
    auto to = thrust::raw(sums);
    return cuco::run(storage, bytes, 256, moved, count, stream, [=] __host__ __device__() mutable {
      size_t next = 0;
      for (size_t i = 0; i < count; next++) {
        cuco::value_of<Keys> key = in[i];
        cuco::value_of<Values> sum = held[i];
        for (i++; i < count && key == in[i]; i++) sum = operation(sum, (cuco::value_of<Values>)held[i]);
        out[next] = key;
        to[next] = sum;
      }
      *groups = (std::remove_reference_t<decltype(*groups)>)next;
    });
  }
};

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begins, class Ends, class Operation, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In input, Out output, int segments, Begins begins, Ends ends,
                            Operation operation, T start, cudaStream_t stream = 0) {
    auto in = thrust::raw(input);
    auto out = thrust::raw(output);
    if (cuco::asks_for_size(storage, bytes, 256)) return cudaSuccess;
    return cuco_parallel::for_each_index(stream, (size_t)segments, [=] __host__ __device__(size_t segment) mutable {
      T sum = start;
      for (auto i = begins[segment]; i < ends[segment]; i++) sum = operation(sum, in[i]);
      out[segment] = sum;
    });
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, int segments, Begins begins, Ends ends,
                         cudaStream_t stream = 0) {
    return Reduce(storage, bytes, in, out, segments, begins, ends, thrust::plus<void>(), cuco::value_of<In>(0), stream);
  }
};

struct DeviceScan {
  template <class In, class Out>
  static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::scan(storage, bytes, in, out, count, thrust::plus<void>(), stream);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void* storage, size_t& bytes, In in, Out out, size_t count, cudaStream_t stream = 0) {
    return cuco::scan_from(storage, bytes, in, out, count, cuco::value_of<In>(0), thrust::plus<void>(), stream);
  }
  template <class In, class Out, class Operation>
  static cudaError_t InclusiveScan(void* storage, size_t& bytes, In in, Out out, Operation operation, size_t count,
                                   cudaStream_t stream = 0) {
    return cuco::scan(storage, bytes, in, out, count, operation, stream);
  }
  template <class In, class Out, class Operation, class T>
  static cudaError_t ExclusiveScan(void* storage, size_t& bytes, In in, Out out, Operation operation, T start,
                                   size_t count, cudaStream_t stream = 0) {
    return cuco::scan_from(storage, bytes, in, out, count, start, operation, stream);
  }
};

struct DeviceSelect {
  template <class In, class Out, class Count, class Predicate>
  static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Count total, size_t count, Predicate predicate,
                        cudaStream_t stream = 0) {
    return cuco::select(storage, bytes, in, in, out, total, count, predicate, stream);
  }
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Count total, size_t count,
                             cudaStream_t stream = 0) {
    return cuco::select(storage, bytes, in, flags, out, total, count, cuco::is_set(), stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Unique(void* storage, size_t& bytes, In input, Out output, Count total, size_t count,
                            cudaStream_t stream = 0) {
    auto in = thrust::raw(input);
    auto out = thrust::raw(output);
    size_t moved = 2 * count * sizeof(cuco::value_of<In>);
    return cuco::run(storage, bytes, 256, moved, count, stream, [=] __host__ __device__() mutable {
      size_t next = 0;
      for (size_t i = 0; i < count; i++)
        if (i == 0 || !(in[i] == in[i - 1])) out[next++] = (cuco::value_of<In>)in[i];
      *total = (std::remove_reference_t<decltype(*total)>)next;
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Lengths, class Count>
  static cudaError_t Encode(void* storage, size_t& bytes, In in, Unique unique, Lengths lengths, Count runs,
                            size_t count, cudaStream_t stream = 0) {
    return DeviceReduce::ReduceByKey(storage, bytes, in, unique, thrust::constant_iterator<int>(1), lengths, runs,
                                     thrust::plus<void>(), count, stream);
  }
};

struct DeviceRadixSort {
  template <class Key>
  static cudaError_t SortKeys(void* storage, size_t& bytes, const Key* in, Key* out, size_t count, int begin_bit = 0,
                              int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return cuco::sort(storage, bytes, in, out, (const int*)nullptr, (int*)nullptr, count, begin_bit, end_bit, false,
                      stream);
  }
  template <class Key>
  static cudaError_t SortKeysDescending(void* storage, size_t& bytes, const Key* in, Key* out, size_t count,
                                        int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return cuco::sort(storage, bytes, in, out, (const int*)nullptr, (int*)nullptr, count, begin_bit, end_bit, true,
                      stream);
  }
  template <class Key, class Value>
  static cudaError_t SortPairs(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values,
                               Value* out_values, size_t count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = 0) {
    return cuco::sort(storage, bytes, in, out, values, out_values, count, begin_bit, end_bit, false, stream);
  }
  template <class Key, class Value>
  static cudaError_t SortPairsDescending(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values,
                                         Value* out_values, size_t count, int begin_bit = 0,
                                         int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return cuco::sort(storage, bytes, in, out, values, out_values, count, begin_bit, end_bit, true, stream);
  }
  template <class Key>
  static cudaError_t SortKeys(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, size_t count, int begin_bit = 0,
                              int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {
    cudaError_t result = SortKeys(storage, bytes, (const Key*)keys.Current(), keys.Alternate(), count, begin_bit,
                                  end_bit, stream);
    if (storage) keys.selector ^= 1;
    return result;
  }
  template <class Key, class Value>
  static cudaError_t SortPairs(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                               size_t count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = 0) {
    cudaError_t result = SortPairs(storage, bytes, (const Key*)keys.Current(), keys.Alternate(),
                                   (const Value*)values.Current(), values.Alternate(), count, begin_bit, end_bit, stream);
    if (storage) keys.selector ^= 1, values.selector ^= 1;
    return result;
  }
};

struct DeviceHistogram {
  template <class In, class Counter, class Level, class Offset>
  static cudaError_t HistogramEven(void* storage, size_t& bytes, In input, Counter* histogram, int levels, Level lower,
                                   Level upper, Offset count, cudaStream_t stream = 0) {
    auto in = thrust::raw(input);
    size_t moved = (size_t)count * sizeof(cuco::value_of<In>);
    return cuco::run(storage, bytes, 256, moved, (size_t)count, stream, [=] __host__ __device__() mutable {
      for (int i = 0; i < levels - 1; i++) histogram[i] = 0;
      for (Offset i = 0; i < count; i++) {
        auto value = in[i];
        if (value < lower || !(value < upper)) continue;
        int bin = (int)((double)(value - lower) * (levels - 1) / (double)(upper - lower));
        histogram[bin] += 1;
      }
    });
  }
};

struct DeviceFor {
  template <class Count, class Function>
  static cudaError_t Bulk(Count count, Function function, cudaStream_t stream = 0) {
    return cuco_parallel::for_each_index(stream, (size_t)count, [=] __host__ __device__(size_t i) mutable {
      function((Count)i);
    });
  }
  template <class Iterator, class Function>
  static cudaError_t ForEach(Iterator first, Iterator last, Function function, cudaStream_t stream = 0) {
    auto in = thrust::raw(first);
    return cuco_parallel::for_each_index(stream, (size_t)(last - first), [=] __host__ __device__(size_t i) mutable {
      function(in[i]);
    });
  }
};

}  // namespace cub

#define CubDebug(e) (e)
#define CubDebugExit(e) (e)
#endif
