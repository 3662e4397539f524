// Makes a lowered program ask before it touches memory that is not plainly its own, calls code by its address, or hands
// an address to a library. In every build, timed ones too: code that is only right while it is checked is not right.
//   cuco_guard(address, bytes, writes)   before an access, unless one compare shows that it is fine
//   cuco_guard_argument(address)         before a call of a function that is not the program's own
//   cuco_guard_call(function)            before a call by address; whether a library's function is called
//   cuco_in_library = true               around calls of libraries: what they allocate is the program's
// It runs after everything is counted, so that none of this has a price.
#pragma once

#include <llvm/IR/PassManager.h>

namespace cuco_costs {

struct GuardMemory : llvm::PassInfoMixin<GuardMemory> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace cuco_costs
