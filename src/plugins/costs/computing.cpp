#include "plugins/costs/computing.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace cuco_costs {

using namespace llvm;

namespace {

bool is_zero(const Value* value) {
  const auto* constant = dyn_cast<ConstantInt>(value);
  return constant && constant->isZero();
}

// A barrier of some warps may be one that others meet elsewhere.
bool is_barrier_of_all(const CallBase& call) {
  return is_zero(call.getArgOperand(0)) && is_zero(call.getArgOperand(1));
}

std::string obstacle_of_library(const CallBase& call, const Function& callee) {
  StringRef name = callee.getName();
  bool is_harmless =
      StringSwitch<bool>(name)
          .Cases("cuco_barrier_count", "cuco_warp_exchange", "cuco_active_mask", true)
          .Cases("cuco_dynamic_shared", "cuco_dynamic_shared_bytes", "cuco_on_device", true)
          .Cases("cuco_at", "cuco_meet_at", "cuco_coop_at", true)  // Stores, where nothing is checked.
          .Cases("cuco_trap", "__assert_fail", "cuco_body_begin", "cuco_body_end", "cuco_steer", true)
          .Default(callee.isIntrinsic() || callee.doesNotAccessMemory() || callee.getReturnType()->isFloatingPointTy());
  if (is_harmless || (name == "cuco_barrier" && is_barrier_of_all(call))) return "";
  return StringSwitch<std::string>(name)
      .Cases("cuco_barrier", "cuco_barrier_arrive", "it meets part of its block at a barrier")
      .Cases("cuco_poll", "cuco_poll_from", "it looks at memory that others change")
      .Cases("cuco_changed", "cuco_swapped", "cuco_swap_failed", "it changes memory by atomic operations")
      .Case("cuco_fence", "it orders its stores by a fence")
      .Default(("it calls " + name).str());
}

bool is_atomic_or_volatile(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return !load->isSimple();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return !store->isSimple();
  return isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction);
}

bool goes_round(const Function& function) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> edges;
  FindFunctionBackedges(function, edges);
  return !edges.empty();
}

}  // namespace

std::string Computing::obstacle_of_call(const CallBase& call) {
  if (const auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return assembly->getAsmString().empty() ? "" : "it has assembly";
  const Function* callee = call.getCalledFunction();
  if (!callee) return "it calls a function by its address";
  return callee->isDeclaration() ? obstacle_of_library(call, *callee) : obstacle(*callee);
}

std::string Computing::find_obstacle(const Instruction& instruction) {
  if (is_atomic_or_volatile(instruction)) return "it has volatile or atomic accesses";
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call ? obstacle_of_call(*call) : "";
}

std::string Computing::obstacle(const Function& function) {
  auto known = obstacles_.find(&function);
  if (known != obstacles_.end()) return known->second;
  obstacles_[&function] = "it calls itself";
  std::string found;
  for (const Instruction& instruction : instructions(function))
    if (found = find_obstacle(instruction); !found.empty()) break;
  return obstacles_[&function] = found;
}

bool Computing::has_loop(const Function& function) {
  auto [known, is_first] = loops_.insert({&function, false});
  if (!is_first) return known->second;
  bool found = goes_round(function);
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    found = found || (callee && !callee->isDeclaration() && has_loop(*callee));
  }
  return loops_[&function] = found;
}

}  // namespace cuco_costs
