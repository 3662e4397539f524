#include <cuco/small_float.h>

#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/nccl/objects.h"

namespace cuco::vcluster {

namespace {

template <typename T>
T combine(T a, T b, int op) {
  switch (op) {
    case ncclProd:
      return static_cast<T>(a * b);
    case ncclMax:
      return a < b ? b : a;
    case ncclMin:
      return b < a ? b : a;
    default:
      return static_cast<T>(a + b);  // Sum, average and pre-multiplied sum.
  }
}

// How a type is held in memory and computed with.
template <typename T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};
struct Half {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) { return cuco_float::from_half(stored); }
  static Stored store(Value value) { return cuco_float::half_of(value); }
};
struct Bfloat16 {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) { return cuco_float::from_bf16(stored); }
  static Stored store(Value value) { return cuco_float::bf16_of(value); }
};
template <const cuco_float::fp8_format& Format>
struct Fp8 {
  using Stored = uint8_t;
  using Value = float;
  static Value load(Stored stored) { return cuco_float::from_fp8(stored, Format); }
  static Stored store(Value value) { return cuco_float::fp8_of(value, Format); }
};

constexpr cuco_float::fp8_format kE4m3 = cuco_float::e4m3;
constexpr cuco_float::fp8_format kE5m2 = cuco_float::e5m2;

template <typename Visit>
void with_type(ncclDataType_t type, Visit&& visit) {
  switch (type) {
    case ncclInt8:
      return visit(Plain<int8_t>());
    case ncclUint8:
      return visit(Plain<uint8_t>());
    case ncclInt32:
      return visit(Plain<int32_t>());
    case ncclUint32:
      return visit(Plain<uint32_t>());
    case ncclInt64:
      return visit(Plain<int64_t>());
    case ncclUint64:
      return visit(Plain<uint64_t>());
    case ncclFloat16:
      return visit(Half());
    case ncclFloat32:
      return visit(Plain<float>());
    case ncclFloat64:
      return visit(Plain<double>());
    case ncclBfloat16:
      return visit(Bfloat16());
    case ncclFloat8e4m3:
      return visit(Fp8<kE4m3>());
    case ncclFloat8e5m2:
      return visit(Fp8<kE5m2>());
    default:
      return;
  }
}

}  // namespace

std::string nccl_name_of(ncclDataType_t type) {
  static constexpr const char* kNames[] = {"ncclInt8",    "ncclUint8",    "ncclInt32",      "ncclUint32",
                                           "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
                                           "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
  auto number = static_cast<size_t>(type);
  return number < std::size(kNames) ? kNames[number] : concat("data type ", number);
}

std::string nccl_name_of_op(int op) {
  static constexpr const char* kNames[] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"};
  auto number = static_cast<size_t>(op);
  return number < std::size(kNames) ? kNames[number] : "a sum of its own from ncclRedOpCreatePreMulSum";
}

size_t nccl_size_of(ncclDataType_t type) {
  size_t size = 0;
  with_type(type, [&](auto format) { size = sizeof(typename decltype(format)::Stored); });
  return size;
}

void nccl_reduce(void* into, const void* from, size_t count, ncclDataType_t type, int op) {
  with_type(type, [&](auto format) {
    using Format = decltype(format);
    auto* target = static_cast<typename Format::Stored*>(into);
    const auto* source = static_cast<const typename Format::Stored*>(from);
    for (size_t i = 0; i < count; i++)
      target[i] = Format::store(combine<typename Format::Value>(Format::load(target[i]), Format::load(source[i]), op));
  });
}

void nccl_scale(void* values, size_t count, ncclDataType_t type, double factor) {
  with_type(type, [&](auto format) {
    using Format = decltype(format);
    auto* target = static_cast<typename Format::Stored*>(values);
    for (size_t i = 0; i < count; i++)
      target[i] =
          Format::store(static_cast<typename Format::Value>(static_cast<double>(Format::load(target[i])) * factor));
  });
}

}  // namespace cuco::vcluster
