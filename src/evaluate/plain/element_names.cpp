#include "evaluate/plain/element_names.h"

#include <array>

namespace cuco::evaluate {

namespace {

struct TypeFacts {
  std::string_view name;
  Element element;
};
constexpr std::array<TypeFacts, 29> kTypes = {{
    {"float", Element::Float32},
    {"double", Element::Float64},
    {"int", Element::Int32},
    {"int32_t", Element::Int32},
    {"unsigned int", Element::UInt32},
    {"unsigned", Element::UInt32},
    {"uint32_t", Element::UInt32},
    {"long", Element::Int64},
    {"long long", Element::Int64},
    {"int64_t", Element::Int64},
    {"unsigned long", Element::UInt64},
    {"unsigned long long", Element::UInt64},
    {"uint64_t", Element::UInt64},
    {"size_t", Element::UInt64},
    {"__half", Element::Float16},
    {"half", Element::Float16},
    {"__nv_bfloat16", Element::BFloat16},
    {"nv_bfloat16", Element::BFloat16},
    {"__nv_fp8_e4m3", Element::Float8E4M3},
    {"__nv_fp8_e5m2", Element::Float8E5M2},
    {"int8_t", Element::Int8},
    {"signed char", Element::Int8},
    {"float2", Element::Float32},
    {"float4", Element::Float32},
    {"double2", Element::Float64},
    {"__half2", Element::Float16},
    {"__nv_bfloat162", Element::BFloat16},
    {"unsigned char", Element::UInt8},
    {"uint8_t", Element::UInt8},
}};

}  // namespace

std::optional<Element> element_named(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  for (const TypeFacts& known : kTypes)
    if (known.name == type) return known.element;
  return std::nullopt;
}

double default_tolerance(Element element) {
  switch (element) {
    case Element::Float64:
      return 1e-10;
    case Element::Float32:
      return 1e-4;
    case Element::Float16:
      return 1e-2;
    case Element::BFloat16:
      return 3e-2;
    case Element::Float8E4M3:
      return 0.13;
    case Element::Float8E5M2:
      return 0.26;
    default:
      return 0;
  }
}

}  // namespace cuco::evaluate
