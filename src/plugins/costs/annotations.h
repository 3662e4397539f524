// What the lowering says of functions.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace cuco_costs {

// A kernel; the lowering says it for sampled runs only.
constexpr const char* kKernel = "cuco_kernel";
// A kernel that leaves its arguments of class type as they are.
constexpr const char* kKeepsArguments = "cuco_keeps_arguments";

// Those with this annotation, in the order of the text.
std::vector<llvm::Function*> annotated_functions(const llvm::Module& module, llvm::StringRef annotation);

}  // namespace cuco_costs
