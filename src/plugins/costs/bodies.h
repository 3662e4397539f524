// Marks the compute bodies of kernels that communicate: calls of functions that only compute, go round, and whose
// results decide nothing that the kernel does. Each such call asks the virtual cluster whether it is to be made, which
// a sampled run answers; loads that decide something say so before they are made, so that the run can tell whether a
// body it left out would have written there. Kernels that only compute are left as they are.
// Kernels are the functions that the lowering says are, for sampled runs only (annotations.h).
#pragma once

#include <llvm/IR/PassManager.h>

namespace cuco_costs {

// For the point of the pipeline where locals are values and nothing is inlined.
struct MarkBodies : llvm::PassInfoMixin<MarkBodies> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace cuco_costs
