#include "plugins/costs/stack_slack.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace cuco_costs {

using namespace llvm;

namespace {

constexpr uint64_t kSlackBytes = 16;

bool is_of_library(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() && !callee->getName().starts_with("cuco_");
}

void enlarge(AllocaInst& local, uint64_t bytes) {
  IRBuilder<> builder(&local);
  AllocaInst* larger = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes + kSlackBytes));
  larger->setAlignment(local.getAlign());
  larger->takeName(&local);
  local.replaceAllUsesWith(larger);
  local.eraseFromParent();
}

}  // namespace

void add_slack(Function& function) {
  SetVector<AllocaInst*> given;
  for (const Instruction& each : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&each);
    if (!call || !is_of_library(*call)) continue;
    for (const Value* argument : call->args())
      if (argument->getType()->isPointerTy())
        if (const auto* local = dyn_cast<AllocaInst>(getUnderlyingObject(argument)))
          if (local->isStaticAlloca()) given.insert(const_cast<AllocaInst*>(local));
  }
  for (AllocaInst* local : given)
    if (std::optional<TypeSize> bytes = local->getAllocationSize(function.getDataLayout()))
      enlarge(*local, bytes->getFixedValue());
}

}  // namespace cuco_costs
