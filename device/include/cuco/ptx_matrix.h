// Warp-level matrix instructions of PTX: mma.sync and ldmatrix, with the lanes' shares of a tile as the PTX ISA gives
// them. A register holds `Each` neighbouring elements of a row of A or column of B; four lanes side by side hold one
// stretch of 4 * Each elements, and register after register holds the next stretch.
#pragma once

#include "cuco/ptx.h"

namespace cuco_ptx {

template <class T, int Count>
struct Registers { T r[Count]; };

template <class T>
struct packed_of { using type = uint32_t; };
template <>
struct packed_of<f32> { using type = float; };
template <>
struct packed_of<s32> { using type = int32_t; };
template <>
struct packed_of<f64> { using type = double; };
template <class T>
using packed = typename packed_of<T>::type;

template <class T, class... Values>
__device__ __forceinline__ Registers<T, sizeof...(Values)> gather(Values... values) {
  return {{bits_as<T>(values)...}};
}
template <class T, int Count, class... Out>
__device__ __forceinline__ void spread(const Registers<T, Count>& from, Out&... out) {
  static_assert(sizeof...(Out) == Count, "as many registers as the shape has");
  int i = 0;
  (give(out, from.r[i++]), ...);
}

// One element of a register, as a number to multiply.
template <class T>
struct element;
template <>
struct element<f16> {
  static constexpr int each = 2;
  static __device__ float at(uint32_t bits, int i) { return cuco_float::from_half((uint16_t)(bits >> 16 * i)); }
};
template <>
struct element<bf16> {
  static constexpr int each = 2;
  static __device__ float at(uint32_t bits, int i) { return cuco_float::from_bf16((uint16_t)(bits >> 16 * i)); }
};
// The hardware looks at the upper 19 bits only.
template <>
struct element<tf32> {
  static constexpr int each = 1;
  static __device__ float at(uint32_t bits, int) { return cuco_float::float_of(bits & ~0x1fffu); }
};
template <>
struct element<s8> {
  static constexpr int each = 4;
  static __device__ int at(uint32_t bits, int i) { return (int8_t)(bits >> 8 * i); }
};
template <>
struct element<u8> {
  static constexpr int each = 4;
  static __device__ int at(uint32_t bits, int i) { return (uint8_t)(bits >> 8 * i); }
};
template <>
struct element<e4m3> {
  static constexpr int each = 4;
  static __device__ float at(uint32_t bits, int i) { return cuco_float::from_fp8((uint8_t)(bits >> 8 * i), cuco_float::e4m3); }
};
template <>
struct element<e5m2> {
  static constexpr int each = 4;
  static __device__ float at(uint32_t bits, int i) { return cuco_float::from_fp8((uint8_t)(bits >> 8 * i), cuco_float::e5m2); }
};
template <>
struct element<f64> {
  static constexpr int each = 1;
  static __device__ double at(double value, int) { return value; }
};

// A lane's share of C and D: element i of row group `half`. Two 16-bit floats share a register.
template <class T>
struct accumulator {
  using number = T;
  static constexpr int per_register = 1;
  static __device__ T get(const packed<T>* r, int i) { return r[i]; }
  static __device__ void set(packed<T>* r, int i, T value) { r[i] = value; }
};
template <>
struct accumulator<f16> {
  using number = float;
  static constexpr int per_register = 2;
  static __device__ float get(const uint32_t* r, int i) { return cuco_float::from_half((uint16_t)(r[i / 2] >> 16 * (i % 2))); }
  static __device__ void set(uint32_t* r, int i, float value) {
    uint32_t half = cuco_float::half_of(value);
    r[i / 2] = i % 2 ? (r[i / 2] & 0xffffu) | half << 16 : (r[i / 2] & 0xffff0000u) | half;
  }
};

template <int M, int K, class D, class A, class B>
struct Product {
  static constexpr int each = element<A>::each, stretch = 4 * each, groups = M / 8;
  static constexpr int a_count = groups * (K / stretch), b_count = K / stretch;
  static constexpr int d_count = 2 * groups / accumulator<D>::per_register;
  struct Share {
    Registers<packed<A>, a_count> a;
    Registers<packed<B>, b_count> b;
  };
  using number = typename accumulator<D>::number;

  static __device__ number dot(const Share* const* lanes, int row, int column, number sum) {
    for (int k = 0; k < K; k++) {
      int lane = k % stretch / each, part = k / stretch;
      auto a = element<A>::at(lanes[row % 8 * 4 + lane]->a.r[part * groups + row / 8], k % each);
      auto b = element<B>::at(lanes[column * 4 + lane]->b.r[part], k % each);
      sum += (number)a * (number)b;
    }
    return sum;
  }

  // Lanes read each other's registers where they lie: none goes on before all have read.
  template <class C>
  static __device__ Registers<packed<D>, d_count> multiply(const Registers<packed<A>, a_count>& a,
                                                           const Registers<packed<B>, b_count>& b, const C& c) {
    Share own = {a, b};
    unsigned present;
    const Share* lanes[32];
    const uint64_t* offers = cuco_warp_exchange(~0u, (uint64_t)&own, &present);
    for (int lane = 0; lane < 32; lane++) lanes[lane] = (const Share*)offers[lane];
    // The loop stands for tensor cores: its scalar operations do not count.
    uint64_t counted[4] = {cuco_costs[0], cuco_costs[1], cuco_costs[2], cuco_costs[3]};
    Registers<packed<D>, d_count> d = {};
    int lane = (int)cuco_lane();
    for (int i = 0; i < 2 * groups; i++) {
      number sum = accumulator<D>::get((const packed<D>*)c.r, i);
      accumulator<D>::set(d.r, i, dot(lanes, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2, sum));
    }
    for (int i = 0; i < 4; i++) cuco_costs[i] = counted[i];
    cuco_costs[4] += 2ull * M * 8 * K / 32;
    __syncwarp();
    return d;
  }
};
template <class D, class A, class B>
using m16n8k4 = Product<16, 4, D, A, B>;
template <class D, class A, class B>
using m16n8k8 = Product<16, 8, D, A, B>;
template <class D, class A, class B>
using m16n8k16 = Product<16, 16, D, A, B>;
template <class D, class A, class B>
using m16n8k32 = Product<16, 32, D, A, B>;
template <class D, class A, class B>
using m8n8k4 = Product<8, 4, D, A, B>;

// Lane l gives the address of row l % 8 of matrix l / 8 and gets two neighbours of row l / 4 of every matrix.
template <bool Transposes, class... Out>
__device__ __forceinline__ void load_matrix(const char* row, Out&... out) {
  unsigned present;
  const uint64_t* offers = cuco_warp_exchange(~0u, (uint64_t)row, &present);
  int lane = (int)cuco_lane(), matrix = 0;
  auto load = [&](int of_row, int column) {
    uint16_t value;
    __builtin_memcpy(&value, (const char*)offers[matrix * 8 + of_row] + 2 * column, 2);
    return (uint32_t)value;
  };
  auto next = [&] {
    uint32_t bits = Transposes ? load(lane % 4 * 2, lane / 4) | load(lane % 4 * 2 + 1, lane / 4) << 16
                               : load(lane / 4, lane % 4 * 2) | load(lane / 4, lane % 4 * 2 + 1) << 16;
    matrix++;
    return bits;
  };
  (give(out, next()), ...);
}

}  // namespace cuco_ptx
