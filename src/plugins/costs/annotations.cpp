#include "plugins/costs/annotations.h"

#include <llvm/IR/Constants.h>

namespace cuco_costs {

using namespace llvm;

std::vector<Function*> annotated_functions(const Module& module, StringRef annotation) {
  std::vector<Function*> found;
  const GlobalVariable* annotations = module.getGlobalVariable("llvm.global.annotations");
  if (!annotations || !annotations->hasInitializer()) return found;
  for (const Use& entry : annotations->getInitializer()->operands()) {
    const auto* fields = cast<ConstantStruct>(entry);
    const auto* text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    auto* function = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    const auto* words = text ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
    if (function && words && words->isCString() && words->getAsCString() == annotation) found.push_back(function);
  }
  return found;
}

}  // namespace cuco_costs
