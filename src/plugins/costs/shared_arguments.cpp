#include "plugins/costs/shared_arguments.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "plugins/costs/annotations.h"
#include "plugins/costs/called_names.h"

namespace cuco_costs {

using namespace llvm;

namespace {

void copy_at_entry(Argument& argument) {
  Function& kernel = *argument.getParent();
  Type* type = argument.getParamByValType();
  IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  AllocaInst* own = builder.CreateAlloca(type);
  Align align = argument.getParamAlign().valueOrOne();
  own->setAlignment(std::max(own->getAlign(), align));
  argument.replaceAllUsesWith(own);
  builder.CreateMemCpy(own, own->getAlign(), &argument, align, kernel.getDataLayout().getTypeAllocSize(type));
}

void take_by_address(Function& kernel, bool keeps_arguments) {
  for (Argument& argument : kernel.args()) {
    if (!argument.hasByValAttr()) continue;
    if (!keeps_arguments && !kernel.isDeclaration()) copy_at_entry(argument);
    argument.removeAttr(Attribute::ByVal);
  }
}

void give_by_address(CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); i++) call.removeParamAttr(i, Attribute::ByVal);
  // An argument may be a local of the caller.
  if (auto* plain = dyn_cast<CallInst>(&call)) plain->setTailCallKind(CallInst::TCK_None);
}

// The call of cuco_rt::Arguments<...>::run: by the address that its argument begins with.
bool is_launch(const CallBase& call) {
  const Function& caller = *call.getFunction();
  const auto* target = dyn_cast<LoadInst>(call.getCalledOperand());
  return target && runs_kernel(caller.getName()) && target->getPointerOperand() == caller.getArg(0);
}

}  // namespace

PreservedAnalyses ShareArguments::run(Module& module, ModuleAnalysisManager&) {
  std::vector<Function*> all = annotated_functions(module, kKernel), keeping = annotated_functions(module, kKeepsArguments);
  if (all.empty()) return PreservedAnalyses::all();
  SetVector<Function*> kernels(all.begin(), all.end());
  const SetVector<Function*> keepers(keeping.begin(), keeping.end());
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (is_launch(*call) || kernels.contains(call->getCalledFunction())) give_by_address(*call);
  for (Function* kernel : kernels) take_by_address(*kernel, keepers.contains(kernel));
  return PreservedAnalyses::none();
}

}  // namespace cuco_costs
