
// The slice that a rank reduces. A lone root reduces everything.
__device__ inline Part slice_of(const Reduction& work, int rank) {
  if (work.root >= 0) return {0, rank == work.root ? work.count : 0};
  size_t begin = work.slice * rank, end = begin + work.slice;
  return {begin < work.count ? begin : work.count, end < work.count ? end : work.count};
}
__device__ inline Message message_of(uint64_t place, Part elements, size_t element_bytes, int peer, uint32_t number) {
  return {offset_of(place) + elements.begin * element_bytes, (elements.end - elements.begin) * element_bytes, number,
          (int16_t)peer, (int16_t)(place >> 48)};
}

template <typename T>
struct Accumulator {
  using type = T;
};
template <>
struct Accumulator<int8_t> {
  using type = int;
};
template <>
struct Accumulator<uint8_t> {
  using type = unsigned;
};
template <>
struct Accumulator<__half> {
  using type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
  using type = float;
};

struct Sum {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a + b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Average : Sum {
  template <typename A>
  __device__ static A finish(A a, int ranks) {
    return a / (A)ranks;
  }
};
struct Product {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a * b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Largest {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a > b ? a : b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Smallest {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a < b ? a : b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};

// Elements that are moved together, 16 bytes where all sides allow it.
template <typename T, int kWidth>
struct alignas(kWidth * sizeof(T)) Pack {
  T at[kWidth];
};
template <typename Op, typename T, typename A, int kWidth>
__device__ void add_pack(A (&sum)[kWidth], const Pack<T, kWidth>& pack, bool is_first) {
  for (int i = 0; i < kWidth; i++) sum[i] = is_first ? (A)pack.at[i] : Op::combine(sum[i], (A)pack.at[i]);
}
template <typename Op, typename T, typename A, int kWidth>
__device__ Pack<T, kWidth> finished(const A (&sum)[kWidth], int ranks) {
  Pack<T, kWidth> whole;
  for (int i = 0; i < kWidth; i++) whole.at[i] = (T)Op::finish(sum[i], ranks);
  return whole;
}
