#include "plugins/costs/steering.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cuco_costs {

using namespace llvm;

namespace {

// Beyond this a value is taken to steer.
constexpr size_t kReachedMax = 20'000;

bool passes_data_on(const User* user) {
  return isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, PHINode, SelectInst, ExtractElementInst,
             InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst, FreezeInst>(user) &&
         !isa<IntToPtrInst>(user);
}

bool is_local(const Value* root) {
  const auto* argument = dyn_cast<Argument>(root);
  return isa<AllocaInst>(root) || argument || is_shared_variable(root);
}

}  // namespace

Steering::Steering(Places& places, const SetVector<const Function*>& code) : places_(places) {
  for (const Function* function : code)
    for (const Instruction& instruction : instructions(function)) index(instruction);
}

void Steering::index(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    for (const Value* root : places_.roots_of(load->getPointerOperand())) loads_[root].push_back(load);
    return;
  }
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return;
  for (unsigned i = 0; i < call->arg_size(); i++)
    if (call->getArgOperand(i)->getType()->isPointerTy())
      for (const Value* root : places_.roots_of(call->getArgOperand(i))) passes_[root].push_back({call, i});
}

bool Steering::steers(const Value* value) {
  values_.clear(), objects_.clear();
  values_.insert(value);
  return run();
}

bool Steering::steers_from(const Value* object) {
  values_.clear(), objects_.clear();
  objects_.insert(object);
  return run();
}

bool Steering::run() {
  for (size_t v = 0, o = 0; v < values_.size() || o < objects_.size();) {
    if (v + o > kReachedMax) return true;
    if (v < values_.size() ? follow_value(values_[v++]) : follow_object(objects_[o++])) return true;
  }
  return false;
}

bool Steering::follow_object(const Value* object) {
  for (const LoadInst* load : loads_[object]) values_.insert(load);
  for (const Pass& pass : std::vector<Pass>(passes_[object]))
    if (follow_pass(pass)) return true;
  return false;
}

// A call gets a pointer to memory whose contents are followed.
bool Steering::follow_pass(const Pass& pass) {
  if (const auto* copy = dyn_cast<MemTransferInst>(pass.call)) {
    if (pass.argument == 1) taint_memory(copy->getDest());
    return false;
  }
  const Function* callee = pass.call->getCalledFunction();
  if (!callee || pass.argument >= callee->arg_size()) return true;
  if (!callee->isDeclaration()) objects_.insert(callee->getArg(pass.argument));
  return callee->isDeclaration() && !callee->isIntrinsic();
}

bool Steering::follow_value(const Value* value) {
  for (const Use& use : value->uses())
    if (follow_use(use)) return true;
  return false;
}

bool Steering::follow_use(const Use& use) {
  const User* user = use.getUser();
  if (passes_data_on(user)) {
    values_.insert(user);
    return false;
  }
  if (const auto* store = dyn_cast<StoreInst>(user)) return follow_store(*store, use.get());
  if (const auto* call = dyn_cast<CallBase>(user)) return follow_argument(*call, use);
  if (const auto* end = dyn_cast<ReturnInst>(user)) return follow_result(*end->getFunction());
  return true;
}

bool Steering::follow_store(const StoreInst& store, const Value* value) {
  if (store.getPointerOperand() == value) return true;
  taint_memory(store.getPointerOperand());
  return false;
}

// Of an argument, what its callers give as well.
void Steering::taint_memory(const Value* pointer) {
  for (const Value* root : places_.roots_of(pointer)) {
    if (!is_local(root) || !objects_.insert(root)) continue;
    const auto* argument = dyn_cast<Argument>(root);
    if (!argument || argument->hasByValAttr()) continue;
    for (const User* user : argument->getParent()->users())
      if (const auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == argument->getParent())
        taint_memory(call->getArgOperand(argument->getArgNo()));
  }
}

bool Steering::follow_argument(const CallBase& call, const Use& use) {
  if (isa<DbgInfoIntrinsic, LifetimeIntrinsic>(call)) return false;
  const Function* callee = call.getCalledFunction();
  if (!callee || !call.isArgOperand(&use) || call.getArgOperandNo(&use) >= callee->arg_size()) return true;
  if (!callee->isDeclaration()) {
    values_.insert(callee->getArg(call.getArgOperandNo(&use)));
    return false;
  }
  if (callee->getName() == "cuco_warp_exchange" && call.getArgOperandNo(&use) == 1) {
    objects_.insert(&call);  // It returns what all lanes offered.
    return false;
  }
  if (!callee->doesNotAccessMemory() && !callee->getReturnType()->isFloatingPointTy()) return true;
  values_.insert(&call);
  return false;
}

bool Steering::follow_result(const Function& function) {
  for (const User* user : function.users()) {
    const auto* call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledFunction() != &function) continue;
    values_.insert(call);
  }
  return false;
}

}  // namespace cuco_costs
