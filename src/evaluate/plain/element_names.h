// Element types by their names in C++, and how closely outputs of each are compared when nobody says.
#pragma once

#include <optional>
#include <string_view>

#include "cuco/element.h"

namespace cuco::evaluate {

// Of "float", "const __half", "unsigned long long", ...
std::optional<Element> element_named(std::string_view type);

// Absolute and relative alike; 0 for integers. Sums in another order differ by some units in the last place; the bounds
// leave room for thousands of terms.
double default_tolerance(Element element);

}  // namespace cuco::evaluate
