// Element types of the buffers that a harness draws, poisons and compares, read and written as doubles. Standard C++17
// only: the same file serves plain nvcc builds, the virtual cluster and the judge. Whoever defines CUCO_DRAW_ON_DEVICE
// may call it from kernels as well.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef CUCO_DRAW_ON_DEVICE
#define CUCO_HOST_DEVICE __host__ __device__
#else
#define CUCO_HOST_DEVICE
#endif

namespace cuco {

// The numbers appear in captures; never renumber.
enum class Element : uint32_t {
  Int8 = 0, UInt8 = 1, Int32 = 2, UInt32 = 3, Int64 = 4, UInt64 = 5,
  Float32 = 6, Float64 = 7, Float16 = 8, BFloat16 = 9, Float8E4M3 = 10, Float8E5M2 = 11,
};

CUCO_HOST_DEVICE inline uint32_t bytes_of(Element element) {
  constexpr uint32_t bytes[] = {1, 1, 4, 4, 8, 8, 4, 8, 2, 2, 1, 1};
  return bytes[static_cast<uint32_t>(element)];
}
CUCO_HOST_DEVICE inline bool is_floating(Element element) { return element >= Element::Float32; }

namespace element_detail {

// A binary floating-point format of at most 16 bits. `largest` is its greatest finite code without sign; codes above
// it are not finite.
struct SmallFloat {
  int mantissa_bits, bias, sign_bit;
  uint32_t largest;
};
// Functions, since a kernel cannot refer to a constant of the host.
CUCO_HOST_DEVICE constexpr SmallFloat float16() { return {10, 15, 15, 0x7bff}; }
CUCO_HOST_DEVICE constexpr SmallFloat bfloat16() { return {7, 127, 15, 0x7f7f}; }
CUCO_HOST_DEVICE constexpr SmallFloat e4m3() { return {3, 7, 7, 0x7e}; }
CUCO_HOST_DEVICE constexpr SmallFloat e5m2() { return {2, 15, 7, 0x7b}; }

CUCO_HOST_DEVICE inline double decode(uint32_t code, const SmallFloat& format) {
  uint32_t magnitude = code & ((1u << format.sign_bit) - 1);
  if (magnitude > format.largest) return std::nan("");  // Infinities too: neither may pass a comparison.
  int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  uint32_t fraction = magnitude & ((1u << format.mantissa_bits) - 1);
  if (exponent > 0) fraction |= 1u << format.mantissa_bits;
  double value = std::ldexp(static_cast<double>(fraction), (exponent > 0 ? exponent : 1) - format.bias - format.mantissa_bits);
  return code >> format.sign_bit & 1 ? -value : value;
}

// To nearest even; beyond the range, the largest finite value.
CUCO_HOST_DEVICE inline uint32_t encode(double value, const SmallFloat& format) {
  uint32_t sign = std::signbit(value) ? 1u << format.sign_bit : 0;
  double magnitude = std::fabs(value);
  if (!(magnitude < decode(format.largest, format))) return sign | format.largest;
  int exponent = magnitude == 0 ? 1 - format.bias : std::ilogb(magnitude);
  if (exponent < 1 - format.bias) exponent = 1 - format.bias;
  auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent)));
  return sign | (units + (static_cast<uint32_t>(exponent + format.bias - 1) << format.mantissa_bits));
}

template <typename T>
CUCO_HOST_DEVICE double get(const void* base, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}
template <typename T>
CUCO_HOST_DEVICE void put(void* base, uint64_t index, double number) {
  T value = static_cast<T>(number);
  std::memcpy(static_cast<char*>(base) + index * sizeof(T), &value, sizeof(T));
}

}  // namespace element_detail

// 64-bit integers beyond 2^53 lose their low bits; whoever compares them compares bytes.
CUCO_HOST_DEVICE inline double load_element(Element element, const void* base, uint64_t index) {
  using namespace element_detail;
  switch (element) {
    case Element::Int8: return get<int8_t>(base, index);
    case Element::UInt8: return get<uint8_t>(base, index);
    case Element::Int32: return get<int32_t>(base, index);
    case Element::UInt32: return get<uint32_t>(base, index);
    case Element::Int64: return get<int64_t>(base, index);
    case Element::UInt64: return get<uint64_t>(base, index);
    case Element::Float32: return get<float>(base, index);
    case Element::Float64: return get<double>(base, index);
    case Element::Float16: return decode(static_cast<uint32_t>(get<uint16_t>(base, index)), float16());
    case Element::BFloat16: return decode(static_cast<uint32_t>(get<uint16_t>(base, index)), bfloat16());
    case Element::Float8E4M3: return decode(static_cast<uint32_t>(get<uint8_t>(base, index)), e4m3());
    case Element::Float8E5M2: return decode(static_cast<uint32_t>(get<uint8_t>(base, index)), e5m2());
  }
  return std::nan("");
}

CUCO_HOST_DEVICE inline void store_element(Element element, void* base, uint64_t index, double value) {
  using namespace element_detail;
  switch (element) {
    case Element::Int8: return put<int8_t>(base, index, value);
    case Element::UInt8: return put<uint8_t>(base, index, value);
    case Element::Int32: return put<int32_t>(base, index, value);
    case Element::UInt32: return put<uint32_t>(base, index, value);
    case Element::Int64: return put<int64_t>(base, index, value);
    case Element::UInt64: return put<uint64_t>(base, index, value);
    case Element::Float32: return put<float>(base, index, value);
    case Element::Float64: return put<double>(base, index, value);
    case Element::Float16: return put<uint16_t>(base, index, encode(value, float16()));
    case Element::BFloat16: return put<uint16_t>(base, index, encode(value, bfloat16()));
    case Element::Float8E4M3: return put<uint8_t>(base, index, encode(value, e4m3()));
    case Element::Float8E5M2: return put<uint8_t>(base, index, encode(value, e5m2()));
  }
}

}  // namespace cuco
