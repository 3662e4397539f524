// Operations on the two halves or four bytes of a word, each lane for itself.
#pragma once

#include <stdint.h>

#include "cuco/attributes.h"

#ifdef CUCO_CUDA_SOURCE
namespace cuco_simd {

template <class Lane, class Operation>
__host__ __device__ inline unsigned each(unsigned a, unsigned b, unsigned c, Operation operation) {
  constexpr int bits = 8 * sizeof(Lane);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    auto lane = (unsigned)operation((int)(Lane)(a >> at), (int)(Lane)(b >> at), (int)(Lane)(c >> at));
    result |= (lane & (unsigned)((1ull << bits) - 1)) << at;
  }
  return result;
}
template <class Lane>
__host__ __device__ inline int clamped(int value) {
  constexpr bool is_signed = Lane(-1) < Lane(0);
  constexpr int highest = is_signed ? (1 << (8 * sizeof(Lane) - 1)) - 1 : (1 << 8 * sizeof(Lane)) - 1;
  constexpr int lowest = is_signed ? -highest - 1 : 0;
  return value < lowest ? lowest : value > highest ? highest : value;
}
template <class Lane>
__host__ __device__ inline unsigned sum_of(unsigned a) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 8 * (int)sizeof(Lane)) sum += (Lane)(a >> at);
  return sum;
}

}  // namespace cuco_simd

#define CUCO_LANES(NAME, LANE, EXPRESSION)                                                         \
  CUCO_DEVICE unsigned NAME(unsigned a_, unsigned b_) {                                            \
    return cuco_simd::each<LANE>(a_, b_, 0, [](int a, int b, int) { (void)b; return EXPRESSION; }); \
  }
#define CUCO_LANE(NAME, LANE, EXPRESSION) \
  CUCO_DEVICE unsigned NAME(unsigned a_) { return cuco_simd::each<LANE>(a_, 0, 0, [](int a, int, int) { return EXPRESSION; }); }
#define CUCO_LANES_COMPARE(N, LANE, UNSIGNED, NAME, OP)      \
  CUCO_LANES(__vcmp##NAME##s##N, LANE, a OP b ? -1 : 0)      \
  CUCO_LANES(__vcmp##NAME##u##N, UNSIGNED, a OP b ? -1 : 0)  \
  CUCO_LANES(__vset##NAME##s##N, LANE, a OP b ? 1 : 0)       \
  CUCO_LANES(__vset##NAME##u##N, UNSIGNED, a OP b ? 1 : 0)
#define CUCO_SIMD(N, LANE, UNSIGNED)                                               \
  CUCO_LANES(__vadd##N, UNSIGNED, a + b)                                           \
  CUCO_LANES(__vsub##N, UNSIGNED, a - b)                                           \
  CUCO_LANES(__vaddss##N, LANE, cuco_simd::clamped<LANE>(a + b))                   \
  CUCO_LANES(__vaddus##N, UNSIGNED, cuco_simd::clamped<UNSIGNED>(a + b))           \
  CUCO_LANES(__vsubss##N, LANE, cuco_simd::clamped<LANE>(a - b))                   \
  CUCO_LANES(__vsubus##N, UNSIGNED, cuco_simd::clamped<UNSIGNED>(a - b))           \
  CUCO_LANES(__vmaxs##N, LANE, a < b ? b : a)                                      \
  CUCO_LANES(__vmaxu##N, UNSIGNED, a < b ? b : a)                                  \
  CUCO_LANES(__vmins##N, LANE, b < a ? b : a)                                      \
  CUCO_LANES(__vminu##N, UNSIGNED, b < a ? b : a)                                  \
  CUCO_LANES(__vavgs##N, LANE, (a + b + (a + b >= 0)) >> 1)                        \
  CUCO_LANES(__vavgu##N, UNSIGNED, (a + b + 1) >> 1)                               \
  CUCO_LANES(__vhaddu##N, UNSIGNED, (a + b) >> 1)                                  \
  CUCO_LANES(__vabsdiffs##N, LANE, a < b ? b - a : a - b)                          \
  CUCO_LANES(__vabsdiffu##N, UNSIGNED, a < b ? b - a : a - b)                      \
  CUCO_LANE(__vabs##N, LANE, a < 0 ? -a : a)                                       \
  CUCO_LANE(__vabsss##N, LANE, cuco_simd::clamped<LANE>(a < 0 ? -a : a))           \
  CUCO_LANE(__vneg##N, LANE, -a)                                                   \
  CUCO_LANE(__vnegss##N, LANE, cuco_simd::clamped<LANE>(-a))                       \
  CUCO_LANES(__vcmpeq##N, LANE, a == b ? -1 : 0)                                   \
  CUCO_LANES(__vcmpne##N, LANE, a != b ? -1 : 0)                                   \
  CUCO_LANES(__vseteq##N, LANE, a == b ? 1 : 0)                                    \
  CUCO_LANES(__vsetne##N, LANE, a != b ? 1 : 0)                                    \
  CUCO_LANES_COMPARE(N, LANE, UNSIGNED, lt, <)                                     \
  CUCO_LANES_COMPARE(N, LANE, UNSIGNED, le, <=)                                    \
  CUCO_LANES_COMPARE(N, LANE, UNSIGNED, gt, >)                                     \
  CUCO_LANES_COMPARE(N, LANE, UNSIGNED, ge, >=)                                    \
  CUCO_DEVICE unsigned __vsads##N(unsigned a, unsigned b) { return cuco_simd::sum_of<UNSIGNED>(__vabsdiffs##N(a, b)); } \
  CUCO_DEVICE unsigned __vsadu##N(unsigned a, unsigned b) { return cuco_simd::sum_of<UNSIGNED>(__vabsdiffu##N(a, b)); }
CUCO_SIMD(2, int16_t, uint16_t)
CUCO_SIMD(4, int8_t, uint8_t)
#undef CUCO_SIMD
#undef CUCO_LANES_COMPARE

// Maxima and minima of three, of a sum and a value, and with zero as a floor.
#define CUCO_THREE(WHICH, OP)                                                                                         \
  CUCO_DEVICE int __vi##WHICH##3_s32(int a, int b, int c) { return WHICH(WHICH(a, b), c); }                           \
  CUCO_DEVICE unsigned __vi##WHICH##3_u32(unsigned a, unsigned b, unsigned c) { return WHICH(WHICH(a, b), c); }       \
  CUCO_DEVICE int __vi##WHICH##3_s32_relu(int a, int b, int c) { return max(WHICH(WHICH(a, b), c), 0); }              \
  CUCO_DEVICE int __vi##WHICH##_s32_relu(int a, int b) { return max(WHICH(a, b), 0); }                                \
  CUCO_DEVICE int __viadd##WHICH##_s32(int a, int b, int c) { return WHICH((int)((unsigned)a + (unsigned)b), c); }    \
  CUCO_DEVICE unsigned __viadd##WHICH##_u32(unsigned a, unsigned b, unsigned c) { return WHICH(a + b, c); }           \
  CUCO_DEVICE int __viadd##WHICH##_s32_relu(int a, int b, int c) { return max(__viadd##WHICH##_s32(a, b, c), 0); }    \
  CUCO_DEVICE int __vib##WHICH##_s32(int a, int b, bool* first) { *first = !(b OP a); return WHICH(a, b); }           \
  CUCO_DEVICE unsigned __vib##WHICH##_u32(unsigned a, unsigned b, bool* first) { *first = !(b OP a); return WHICH(a, b); }
CUCO_THREE(max, >)
CUCO_THREE(min, <)
#undef CUCO_THREE
#undef CUCO_LANES
#undef CUCO_LANE
#endif
