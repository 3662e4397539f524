// How far before the place of a pointer a kernel reaches, where the expressions of its indices show it: u[i - columns],
// u[(y - 1) * columns + x], in the kernel itself or through pointers and numbers that it derives once.
#pragma once

#include <map>
#include <vector>

#include "frontend/clang_headers.h"

namespace cuco::frontend {

// A factor times some of the kernel's parameters, by their positions.
struct ReachTerm {
  int64_t factor = 0;
  std::vector<uint32_t> parameters;

  bool operator==(const ReachTerm&) const = default;
};

// A sum of terms, in bytes.
using Reach = std::vector<ReachTerm>;

// By the position of the pointer among the parameters: every distance that an index goes back. What depends on anything
// but parameters is left out.
std::map<uint32_t, std::vector<Reach>> reaches_back(const clang::FunctionDecl* kernel);

}  // namespace cuco::frontend
