// Threads of a kernel share its arguments, as they do on a GPU. C++ hands every thread a copy of each object instead:
// kernels of the communication library have 2.4 KB of them, which would be copied for each of millions of threads and
// would lie on the stack of each that waits. A kernel that may change such an object makes its copy by itself.
// It runs after everything is counted and guarded, so that neither a price nor a guard depends on it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace cuco_costs {

struct ShareArguments : llvm::PassInfoMixin<ShareArguments> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace cuco_costs
