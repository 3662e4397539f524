// The types of numbers that libraries compute with, and how elements of the smaller formats become such numbers.
#pragma once

#include <cuComplex.h>
#include <cuco/small_float.h>
#include <library_types.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "vcluster/runtime/api/libraries/library_work.h"

namespace cuco::vcluster {

// The API's type of an element, the type it is computed in, and the type of its absolute value.
template <typename Api>
struct NumberOf {
  using type = Api;
};
template <>
struct NumberOf<cuComplex> {
  using type = std::complex<float>;
};
template <>
struct NumberOf<cuDoubleComplex> {
  using type = std::complex<double>;
};
template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};

template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <typename T>
constexpr double kOperationsEach = is_complex<T> ? 4 : 1;
template <typename T>
constexpr Unit kUnit = std::is_same_v<Real<T>, double> ? Unit::Fp64 : Unit::Fp32;

template <typename T>
T conjugate(T value) {
  if constexpr (is_complex<T>)
    return std::conj(value);
  else
    return value;
}
template <typename T>
Real<T> real_part(T value) {
  if constexpr (is_complex<T>)
    return value.real();
  else
    return value;
}
// As cuBLAS orders complex numbers by size: |re| + |im|.
template <typename T>
Real<T> size_of_number(T value) {
  if constexpr (is_complex<T>)
    return std::abs(value.real()) + std::abs(value.imag());
  else
    return std::abs(value);
}

inline size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_C_64F:
      return 16;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_R_64I:
    case CUDA_R_64U:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_R_32U:
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_16I:
    case CUDA_R_16U:
      return 2;
    default:
      return 1;
  }
}

inline bool is_complex_type(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

template <typename T>
T read_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The element at `at` as a number of the computation.
template <typename Number>
Number load_number(const char* at, cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<Number>(static_cast<Real<Number>>(read_as<double>(at)));
    case CUDA_R_32F:
      return static_cast<Number>(static_cast<Real<Number>>(read_as<float>(at)));
    case CUDA_R_32I:
      return static_cast<Number>(static_cast<Real<Number>>(read_as<int>(at)));
    case CUDA_R_8I:
      return static_cast<Number>(static_cast<Real<Number>>(read_as<int8_t>(at)));
    case CUDA_R_16F:
      return static_cast<Number>(static_cast<Real<Number>>(cuco_float::from_half(read_as<uint16_t>(at))));
    case CUDA_R_16BF:
      return static_cast<Number>(static_cast<Real<Number>>(cuco_float::from_bf16(read_as<uint16_t>(at))));
    case CUDA_R_8F_E4M3:
      return static_cast<Number>(
          static_cast<Real<Number>>(cuco_float::from_fp8(read_as<uint8_t>(at), cuco_float::e4m3)));
    case CUDA_R_8F_E5M2:
      return static_cast<Number>(
          static_cast<Real<Number>>(cuco_float::from_fp8(read_as<uint8_t>(at), cuco_float::e5m2)));
    case CUDA_C_32F:
      if constexpr (is_complex<Number>) return static_cast<Number>(read_as<std::complex<float>>(at));
      break;
    case CUDA_C_64F:
      if constexpr (is_complex<Number>) return static_cast<Number>(read_as<std::complex<double>>(at));
      break;
    default:
      break;
  }
  return Number(0);
}

template <typename T>
void write_as(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

inline void store_real(char* at, cudaDataType type, double value) {
  switch (type) {
    case CUDA_R_64F:
      return write_as(at, value);
    case CUDA_R_32F:
      return write_as(at, static_cast<float>(value));
    case CUDA_R_32I:
      return write_as(at, static_cast<int>(value));
    case CUDA_R_8I:
      return write_as(at, static_cast<int8_t>(std::clamp(value, -128.0, 127.0)));
    case CUDA_R_16F:
      return write_as(at, cuco_float::half_of(value));
    case CUDA_R_16BF:
      return write_as(at, cuco_float::bf16_of(cuco_float::to_odd_float(value)));
    case CUDA_R_8F_E4M3:
      return write_as(at, cuco_float::fp8_of(static_cast<float>(value), cuco_float::e4m3));
    case CUDA_R_8F_E5M2:
      return write_as(at, cuco_float::fp8_of(static_cast<float>(value), cuco_float::e5m2));
    default:
      return;
  }
}

template <typename Number>
void store_number(char* at, cudaDataType type, Number value) {
  if constexpr (is_complex<Number>) {
    if (type == CUDA_C_32F) return write_as(at, std::complex<float>(value));
    if (type == CUDA_C_64F) return write_as(at, std::complex<double>(value));
  }
  store_real(at, type, static_cast<double>(real_part(value)));
}

}  // namespace cuco::vcluster
