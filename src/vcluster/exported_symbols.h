// The names that an executable offers to the shared objects it loads: what a run provides is read from the runner
// itself, so that no list of it can go stale.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "vcluster/lowering_input.h"

namespace cuco::vcluster {

// Of a 64-bit ELF file.
Result<NameSet> exported_symbols(const std::filesystem::path& executable);

}  // namespace cuco::vcluster
