// Names of enumerators, kept as a table in the enum's own order.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/assert.h"

namespace cuco::model {

// The caller's table must end at the last enumerator: pass it so that a table that is too short does not compile.
template <auto kLast, size_t kSize>
std::string_view name_in(const std::array<std::string_view, kSize>& names, decltype(kLast) value) {
  static_assert(kSize == static_cast<size_t>(kLast) + 1);
  CUCO_ASSERT(static_cast<size_t>(value) < kSize);
  return names[static_cast<size_t>(value)];
}

}  // namespace cuco::model
