// Who may call a function of the module, and whom a call may reach: by name, or through a pointer or table of virtual
// functions, where every function counts whose address is taken and whose type fits.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace cuco_costs {

class CallSites {
 public:
  explicit CallSites(const llvm::Module& module);

  using Calls = llvm::SmallVector<const llvm::CallBase*, 4>;
  using Functions = llvm::SmallVector<const llvm::Function*, 4>;

  const Calls& of(const llvm::Function& callee) const;
  const Functions& reached_by(const llvm::CallBase& call) const;

 private:
  llvm::DenseMap<const llvm::Function*, Calls> callers_;
  llvm::DenseMap<const llvm::CallBase*, Functions> reached_;
};

}  // namespace cuco_costs
