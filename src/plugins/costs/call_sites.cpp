#include "plugins/costs/call_sites.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace cuco_costs {

using namespace llvm;

CallSites::CallSites(const Module& module) {
  DenseMap<const FunctionType*, Functions> by_address;
  for (const Function& function : module)
    if (!function.isDeclaration() && function.hasAddressTaken())
      by_address[function.getFunctionType()].push_back(&function);
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || call->isInlineAsm()) continue;
      Functions& reached = reached_[call];
      if (const Function* callee = call->getCalledFunction())
        reached = {callee};
      else
        reached = by_address.lookup(call->getFunctionType());
      for (const Function* callee : reached) callers_[callee].push_back(call);
    }
}

const CallSites::Calls& CallSites::of(const Function& callee) const {
  static const Calls none;
  auto found = callers_.find(&callee);
  return found == callers_.end() ? none : found->second;
}

const CallSites::Functions& CallSites::reached_by(const CallBase& call) const {
  static const Functions none;
  auto found = reached_.find(&call);
  return found == reached_.end() ? none : found->second;
}

}  // namespace cuco_costs
