// From places to the pointers of a kernel as its author would name them.
#pragma once

#include "frontend/device_summary.h"

namespace cuco::frontend {

// Every pointer among the parameters and their fields, touched or not, in parameter order; then what lies behind them;
// then __device__ variables by name.
std::vector<model::KernelPointer> kernel_pointers(const clang::FunctionDecl* kernel, const Summary& summary,
                                                  const Summaries& summaries);

}  // namespace cuco::frontend
