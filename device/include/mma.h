// nvcuda::wmma. Which lane holds which element is unspecified by CUDA; here every lane holds the elements of a fixed
// share of the tile, and the warp gathers the whole tile by exchange when it multiplies.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
namespace nvcuda::wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }

template <class T>
struct storage { using type = T; };
template <>
struct storage<precision::tf32> { using type = float; };

template <class Use, int m, int n, int k>
struct shape;
template <int m, int n, int k>
struct shape<matrix_a, m, n, k> { static constexpr int rows = m, columns = k; };
template <int m, int n, int k>
struct shape<matrix_b, m, n, k> { static constexpr int rows = k, columns = n; };
template <int m, int n, int k>
struct shape<accumulator, m, n, k> { static constexpr int rows = m, columns = n; };

// Element e of lane l is element l + 32 e of the tile in row-major order.
template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  using tile = shape<Use, m, n, k>;
  using element_type = typename storage<T>::type;
  using storage_element_type = element_type;
  static constexpr int num_elements = tile::rows * tile::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

CUCO_DEVICE float __float_to_tf32(float value) {
  uint32_t bits = cuco_bits<uint32_t>(value);
  return cuco_bits<float>((bits + 0x1000u) & ~0x1fffu);
}

template <class Fragment, class V>
CUCO_DEVICE void fill_fragment(Fragment& a, const V& value) {
  for (int e = 0; e < Fragment::num_elements; e++) a.x[e] = (typename Fragment::element_type)value;
}

// The elements of a lane are equally far apart, since every tile's rows divide a warp. Stepping from one to the next
// keeps arithmetic out of the count that a GPU, which loads a tile with one instruction, does not do.
struct Walk {
  unsigned first, step;
};
template <class Fragment>
CUCO_DEVICE Walk walk_of(unsigned ldm, bool column_major) {
  constexpr unsigned columns = Fragment::tile::columns;
  static_assert(32 % columns == 0);
  unsigned row = cuco_lane() / columns, column = cuco_lane() % columns;
  if (column_major) return {column * ldm + row, 32 / columns};
  return {row * ldm + column, 32 / columns * ldm};
}
template <class Fragment, class Memory>
CUCO_DEVICE void load_elements(Fragment& a, const Memory* mptr, unsigned ldm, bool column_major) {
  Walk walk = walk_of<Fragment>(ldm, column_major);
  const Memory* at = mptr + walk.first;
  for (int e = 0; e < Fragment::num_elements; e++, at += walk.step) a.x[e] = *at;
}
template <class Use, int m, int n, int k, class T, class Layout, class Memory>
CUCO_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& a, const Memory* mptr, unsigned ldm) {
  __syncwarp();
  load_elements(a, mptr, ldm, __is_same(Layout, col_major));
}
template <int m, int n, int k, class T, class Memory>
CUCO_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& a, const Memory* mptr, unsigned ldm,
                                  layout_t layout) {
  __syncwarp();
  load_elements(a, mptr, ldm, layout == mem_col_major);
}
template <int m, int n, int k, class T, class Memory>
CUCO_DEVICE void store_matrix_sync(Memory* mptr, const fragment<accumulator, m, n, k, T>& a, unsigned ldm,
                                   layout_t layout) {
  using F = fragment<accumulator, m, n, k, T>;
  Walk walk = walk_of<F>(ldm, layout == mem_col_major);
  Memory* at = mptr + walk.first;
  for (int e = 0; e < F::num_elements; e++, at += walk.step) *at = a.x[e];
  __syncwarp();
}

template <class T>
struct product { using type = float; };
template <>
struct product<signed char> { using type = int; };
template <>
struct product<unsigned char> { using type = int; };
template <>
struct product<double> { using type = double; };

// By its bits: conversions of the type's own are counted, and looked at, one by one.
template <class P, class T>
CUCO_DEVICE P cuco_uncounted_number(const T& value) {
  if constexpr (__is_same(T, __nv_bfloat16) || __is_same(T, __half)) {
    uint16_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return __is_same(T, __half) ? cuco_float::from_half(bits) : cuco_float::from_bf16(bits);
  } else {
    return (P)value;
  }
}

// The elements of a lane side by side, each in the order of k. Its operands are copies whose making was checked.
template <int m, int n, int k, class P, class A, class B, class C>
CUCO_UNCOUNTED void cuco_uncounted_unchecked_sums(P* sums, const A* a, const B* b, const C& c) {
  constexpr int count = C::num_elements;
  const int first_row = (int)cuco_lane() / n, column = (int)cuco_lane() % n;
  for (int e = 0; e < count; e++) sums[e] = cuco_uncounted_number<P>(c.x[e]);
  for (int i = 0; i < k; i++) {
    const int at_b = i * n + column;
    const P factor = cuco_uncounted_number<P>(b[at_b % 32].x[at_b / 32]);
    for (int e = 0; e < count; e++) {
      const int at_a = (first_row + 32 / n * e) * k + i;
      sums[e] += cuco_uncounted_number<P>(a[at_a % 32].x[at_a / 32]) * factor;
    }
  }
}

// Stands for tensor cores: its scalar operations do not count.
template <int m, int n, int k, class T, class LA, class LB, class C, class D>
CUCO_UNCOUNTED void cuco_uncounted_product(fragment<accumulator, m, n, k, D>& result,
                                           const fragment<matrix_a, m, n, k, T, LA>* const* of_lane_a,
                                           const fragment<matrix_b, m, n, k, T, LB>* const* of_lane_b,
                                           const fragment<accumulator, m, n, k, C>& c) {
  using P = typename product<T>::type;
  static_assert(32 % n == 0);  // So all elements of a lane are in one column.
  fragment<matrix_a, m, n, k, T, LA> a[32];
  fragment<matrix_b, m, n, k, T, LB> b[32];
  for (int l = 0; l < 32; l++) a[l] = *of_lane_a[l], b[l] = *of_lane_b[l];
  const fragment<accumulator, m, n, k, C> own_c = c;
  P sums[result.num_elements];
  cuco_uncounted_unchecked_sums<m, n, k>(sums, a, b, own_c);
  for (int e = 0; e < result.num_elements; e++)
    result.x[e] = (typename fragment<accumulator, m, n, k, D>::element_type)sums[e];
}

template <class Fragment>
CUCO_UNCOUNTED void cuco_uncounted_offers(const uint64_t* offers, const Fragment** of_lane) {
  for (int l = 0; l < 32; l++) of_lane[l] = (const Fragment*)offers[l];
}

// Every lane's share of an operand, by address: valid because the lanes of a warp share one address space and none
// leaves the operation before all have read.
template <int m, int n, int k, class T, class LA, class LB, class C, class D>
CUCO_DEVICE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LA>& a,
                          const fragment<matrix_b, m, n, k, T, LB>& b, const fragment<accumulator, m, n, k, C>& c,
                          bool satf = false) {
  unsigned present;
  const fragment<matrix_a, m, n, k, T, LA>* of_lane_a[32];
  const fragment<matrix_b, m, n, k, T, LB>* of_lane_b[32];
  const uint64_t* offers = cuco_warp_exchange(~0u, (uint64_t)&a, &present);
  cuco_uncounted_offers(offers, of_lane_a);
  offers = cuco_warp_exchange(~0u, (uint64_t)&b, &present);
  cuco_uncounted_offers(offers, of_lane_b);
  fragment<accumulator, m, n, k, D> result;
  cuco_uncounted_product(result, of_lane_a, of_lane_b, c);
  cuco_costs[4] += 2ull * m * n * k / 32;
  __syncwarp();
  d = result;
}

}  // namespace nvcuda::wmma
#endif
