// Rounding between float and the formats below 32 bits, to nearest even.
#pragma once

#include <stdint.h>
#include <string.h>

#include "cuco/attributes.h"

namespace cuco_float {

__host__ __device__ inline uint32_t bits_of(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
__host__ __device__ inline float float_of(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// Going down from double in one step: the odd bit keeps what a float cannot hold, so no value is rounded twice.
__host__ __device__ inline float to_odd_float(double value) {
  float nearest = (float)value;
  if ((double)nearest == value || nearest != nearest) return nearest;
  uint32_t bits = bits_of(nearest);
  double magnitude = value < 0 ? -value : value, rounded = nearest < 0 ? -(double)nearest : (double)nearest;
  if (rounded > magnitude) bits -= 1;
  return float_of(bits | 1);
}

__host__ __device__ inline uint16_t half_of(float value) {
  uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);  // Rounds to infinity.
  if (magnitude < 0x38800000u) {
    // Subnormal: adding 0.5 lets the float unit round at the right bit.
    uint32_t rounded = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    return (uint16_t)(sign | rounded);
  }
  uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u;
  return (uint16_t)(sign | rounded >> 13);
}
__host__ __device__ inline uint16_t half_of(double value) { return half_of(to_odd_float(value)); }
__host__ __device__ inline float from_half(uint16_t bits) {
  uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return float_of(sign | ((magnitude << 13) + 0x38000000u));
  float subnormal = (float)magnitude * 0x1p-24f;
  return float_of(sign | bits_of(subnormal));
}

__host__ __device__ inline uint16_t bf16_of(float value) {
  uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
__host__ __device__ inline float from_bf16(uint16_t bits) { return float_of((uint32_t)bits << 16); }

// Codes of both 16-bit formats grow with the magnitude, so that the neighbour of a value is the code beside its own.
struct half_format {
  __host__ __device__ static uint16_t of(float value) { return half_of(value); }
  __host__ __device__ static float from(uint16_t code) { return from_half(code); }
};
struct bf16_format {
  __host__ __device__ static uint16_t of(float value) { return bf16_of(value); }
  __host__ __device__ static float from(uint16_t code) { return from_bf16(code); }
};
enum rounding { nearest, to_zero, down, up };

// `Value`: float or an integer. Integers of 64 bits come through double, whose error is below half a step of the result.
template <class Format, class Value>
__host__ __device__ inline uint16_t rounded(Value value, rounding mode) {
  double exact = (double)value;
  uint16_t code = Format::of(to_odd_float(exact));
  double back = (double)Format::from(code);
  if (mode == nearest || back == exact || exact != exact) return code;
  bool too_high = back > exact;
  bool wrong_side = mode == down ? too_high : mode == up ? !too_high : (exact > 0) == too_high;
  if (!wrong_side) return code;
  if ((code & 0x7fff) == 0) return too_high ? 0x8001 : 0x0001;  // The other side of zero begins with the smallest code.
  return (uint16_t)((code & 0x8000 ? !too_high : too_high) ? code - 1 : code + 1);
}
template <class Integer>
__host__ __device__ inline Integer to_integer(float value, rounding mode) {
  if (value != value) return Integer(0);
  float whole = mode == nearest ? __builtin_rintf(value) : mode == to_zero ? __builtin_truncf(value)
                : mode == down ? __builtin_floorf(value) : __builtin_ceilf(value);
  constexpr bool is_signed = Integer(-1) < Integer(0);
  constexpr Integer lowest = is_signed ? Integer(Integer(1) << (sizeof(Integer) * 8 - 1)) : Integer(0);
  if (whole <= (float)lowest) return lowest;
  if (whole >= (float)Integer(~lowest)) return Integer(~lowest);
  return (Integer)whole;
}

// An 8-bit format with `mantissa` bits, exponent bias `bias`, and `largest` as its largest finite code (without sign).
struct fp8_format { int mantissa, bias; uint8_t largest, nan; };
constexpr fp8_format e4m3 = {3, 7, 0x7e, 0x7f};
constexpr fp8_format e5m2 = {2, 15, 0x7b, 0x7f};

__host__ __device__ inline float from_fp8(uint8_t code, fp8_format format) {
  int exponent = (code & 0x7f) >> format.mantissa, fraction = code & ((1 << format.mantissa) - 1);
  float sign = code & 0x80 ? -1.0f : 1.0f;
  if ((code & 0x7f) > format.largest)
    return float_of((code & 0x80 ? 0x80000000u : 0u) |
                    (format.mantissa == 2 && fraction == 0 ? 0x7f800000u : 0x7fc00000u));
  int shift = exponent == 0 ? 1 - format.bias : exponent - format.bias;
  int whole = exponent == 0 ? fraction : fraction | 1 << format.mantissa;
  return sign * __builtin_ldexpf((float)whole, shift - format.mantissa);
}
// What lies beyond the largest finite value becomes that value, or infinity or NaN where the conversion does not saturate.
__host__ __device__ inline uint8_t fp8_of(float value, fp8_format format, bool saturates = true) {
  uint8_t sign = bits_of(value) >> 31 ? 0x80 : 0;
  if (value != value) return sign | format.nan;
  float magnitude = __builtin_fabsf(value);
  uint8_t beyond = saturates ? format.largest : (uint8_t)(format.largest + 1);
  if (magnitude == from_fp8(format.largest, format)) return sign | format.largest;
  if (__builtin_isinf(value)) return sign | beyond;
  int exponent = (int)(bits_of(magnitude) >> 23) - 127;
  int shift = exponent < 1 - format.bias ? 1 - format.bias : exponent;
  float scaled = __builtin_rintf(__builtin_ldexpf(magnitude, format.mantissa - shift));
  int code = (int)scaled + ((shift + format.bias - 1) << format.mantissa);
  return sign | (uint8_t)(code > format.largest ? beyond : code);
}

// Formats below 8 bits: a sign above `bits` further bits, no infinity and no NaN. What is too large becomes the largest
// value, and so does NaN, without its sign.
struct tiny_format { int bits, mantissa, bias; };
constexpr tiny_format e2m3 = {5, 3, 1};
constexpr tiny_format e3m2 = {5, 2, 3};
constexpr tiny_format e2m1 = {3, 1, 1};

__host__ __device__ inline float from_tiny(uint8_t code, tiny_format format) {
  fp8_format whole = {format.mantissa, format.bias, 0x7f, 0x7f};
  float magnitude = from_fp8((uint8_t)(code & ((1 << format.bits) - 1)), whole);
  return code >> format.bits & 1 ? -magnitude : magnitude;
}
__host__ __device__ inline uint8_t tiny_of(float value, tiny_format format) {
  uint8_t largest = (uint8_t)((1 << format.bits) - 1);
  if (value != value) return largest;
  fp8_format whole = {format.mantissa, format.bias, largest, largest};
  uint8_t code = fp8_of(value, whole);
  return (uint8_t)((code & largest) | (code >> 7) << format.bits);
}

}  // namespace cuco_float
