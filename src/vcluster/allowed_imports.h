// Which names outside of itself a candidate's image may ask for: what kernels, host code and the C++ compiler need, and
// nothing that reaches the system, the loader or the insides of the C library. A baseline may ask for whatever it
// wants, and its candidates for the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vcluster/image_symbols.h"

namespace cuco::vcluster {

bool is_allowed_import(std::string_view name);

// Sorted, each once.
std::vector<std::string> unusual_imports(const std::vector<ImageSymbol>& symbols);

}  // namespace cuco::vcluster
