#include "frontend/lower_costs/once.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>

namespace cuco_costs {

using namespace llvm;

namespace {

class Entries {
 public:
  explicit Entries(FunctionAnalysisManager& analyses) : analyses_(analyses) {}

  bool is_in_loop(const BasicBlock& block) {
    auto& function = const_cast<Function&>(*block.getParent());
    return analyses_.getResult<LoopAnalysis>(function).getLoopFor(&block) != nullptr;
  }

  // While a function is looked at it counts as repeated: one that calls itself is.
  bool is_entered_once(const Function& function) {
    auto [known, is_first] = known_.insert({&function, false});
    if (!is_first) return known->second;
    bool once = true;
    for (const User* user : function.users()) {
      const auto* call = dyn_cast<CallBase>(user);
      if (!call || call->getCalledFunction() != &function) continue;
      once = once && !is_in_loop(*call->getParent()) && is_entered_once(*call->getFunction());
    }
    return known_[&function] = once;
  }

 private:
  FunctionAnalysisManager& analyses_;
  DenseMap<const Function*, bool> known_;
};

}  // namespace

OncePerThread::OncePerThread(Module& module, FunctionAnalysisManager& analyses) {
  Entries entries(analyses);
  for (const Function& function : module) {
    if (function.isDeclaration() || !entries.is_entered_once(function)) continue;
    for (const BasicBlock& block : function)
      if (!entries.is_in_loop(block)) blocks_.insert(&block);
  }
}

}  // namespace cuco_costs
