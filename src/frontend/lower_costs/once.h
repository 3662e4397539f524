// Which code a GPU thread runs at most once for each place that leads there: blocks outside of all loops, in functions
// that are called outside of loops only. A kernel is entered by its address, from the runtime. However many bytes a
// thread goes through, it runs this code as often.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace cuco_costs {

class OncePerThread {
 public:
  OncePerThread(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

  bool is_once(const llvm::BasicBlock& block) const { return blocks_.contains(&block); }

 private:
  llvm::DenseSet<const llvm::BasicBlock*> blocks_;
};

}  // namespace cuco_costs
