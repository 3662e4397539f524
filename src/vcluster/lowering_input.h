// What turns one source file into C++ for the virtual cluster (lowering/) gets to see.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco::vcluster {

using NameSet = std::set<std::string, std::less<>>;

struct LoweringInput {
  std::string path;       // Of the user's file; names the input in messages.
  std::string text;       // Preprocessed, with __CUDA_ARCH__ defined if it is CUDA.
  std::string host_text;  // Preprocessed as host code sees it; empty: nothing in it differs.
  std::string standard;
  bool is_cuda = true;         // False: plain C++, such as a .cpp file beside the kernels.
  bool is_c = false;           // A .c file.
  bool marks_kernels = false;  // Kernels get annotations; see plugins/costs/annotations.h.
  NameSet implemented;         // Functions that a run provides; empty: not known, so nothing is refused.
  bool has_openmp = false;     // OpenMP's pragmas are read.
};

// For a process of its own. Inverse of each other.
std::string to_text(const LoweringInput& input);
Result<LoweringInput> parse_lowering_input(std::string_view text);

}  // namespace cuco::vcluster
