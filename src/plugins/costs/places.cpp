#include "plugins/costs/places.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace cuco_costs {

using namespace llvm;

namespace {

void add(const Place& place, std::vector<Place>& places) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

std::optional<Place> place_of_variable(const GlobalVariable& variable) {
  if (variable.isConstant() || variable.getName().starts_with("cuco_")) return std::nullopt;
  return Place{Place::Kind::Variable, 0, 0, &variable};
}

std::optional<Place> place_of_loaded(const LoadInst& load) {
  StringRef name = load.getPointerOperand()->getName();
  if (name == "cuco_dynamic_shared_base") return Place{Place::Kind::DynamicShared};
  if (name == "cuco_position") return std::nullopt;
  APInt offset(64, 0);
  const Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(load.getDataLayout(), offset, true);
  const auto* argument = dyn_cast<Argument>(base);
  if (!argument) return Place{};
  return Place{Place::Kind::Field, argument->getArgNo(), offset.getSExtValue()};
}

// What lanes offer each other lies in the virtual cluster itself.
bool is_exchange(const Value* root) {
  const auto* call = dyn_cast<CallBase>(root);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "cuco_warp_exchange";
}

}  // namespace

bool is_shared_variable(const Value* value) {
  const auto* variable = dyn_cast<GlobalVariable>(value);
  return variable && variable->getSection() == "cuco_shared";
}

Roots Places::returned_roots(const Function& function) {
  Roots roots;
  for (const BasicBlock& block : function)
    if (const auto* end = dyn_cast<ReturnInst>(block.getTerminator())) roots.append(roots_of(end->getReturnValue()));
  return roots;
}

Roots Places::roots_of(const Value* pointer) {
  auto known = roots_.find(pointer);
  if (known != roots_.end()) return known->second;
  roots_[pointer] = {};  // Whoever comes back here adds nothing.
  SmallVector<const Value*, 4> underlying;
  getUnderlyingObjects(pointer, underlying, nullptr, 0);
  Roots roots;
  for (const Value* object : underlying) {
    const auto* call = dyn_cast<CallBase>(object);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration()) {
      roots.push_back(object);
      continue;
    }
    for (const Value* returned : returned_roots(*callee)) {
      const auto* argument = dyn_cast<Argument>(returned);
      if (argument && argument->getParent() == callee)
        roots.append(roots_of(call->getArgOperand(argument->getArgNo())));
      else
        roots.push_back(returned);
    }
  }
  return roots_[pointer] = roots;
}

std::optional<Place> Places::place_of(const Value* root) {
  if (isa<AllocaInst>(root) || isa<ConstantPointerNull>(root) || isa<UndefValue>(root)) return std::nullopt;
  if (is_exchange(root)) return std::nullopt;
  if (const auto* variable = dyn_cast<GlobalVariable>(root)) return place_of_variable(*variable);
  if (const auto* load = dyn_cast<LoadInst>(root)) return place_of_loaded(*load);
  const auto* argument = dyn_cast<Argument>(root);
  if (!argument) return Place{};
  if (argument->hasByValAttr()) return std::nullopt;
  return Place{Place::Kind::Parameter, argument->getArgNo()};
}

void Places::add_places_of(const Value* pointer, std::vector<Place>& places) {
  for (const Value* root : roots_of(pointer))
    if (std::optional<Place> place = place_of(root)) add(*place, places);
}

// What the callee stores to, as the caller knows it.
void Places::add_stores_of_call(const CallBase& call, std::vector<Place>& places) {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration()) return;
  for (const Place& place : stores_of(*callee)) {
    if (place.kind == Place::Kind::Parameter) {
      add_places_of(call.getArgOperand(place.parameter), places);
      continue;
    }
    if (place.kind != Place::Kind::Field) {
      add(place, places);
      continue;
    }
    APInt offset(64, 0);
    const Value* base =
        call.getArgOperand(place.parameter)->stripAndAccumulateConstantOffsets(call.getDataLayout(), offset, true);
    const auto* argument = dyn_cast<Argument>(base);
    add(argument ? Place{Place::Kind::Field, argument->getArgNo(), offset.getSExtValue() + place.offset} : Place{},
        places);
  }
}

void Places::add_stores(const Instruction& instruction, std::vector<Place>& places) {
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    add_places_of(store->getPointerOperand(), places);
  else if (const auto* memory = dyn_cast<MemIntrinsic>(&instruction))
    add_places_of(memory->getDest(), places);
  else if (const auto* call = dyn_cast<CallBase>(&instruction))
    add_stores_of_call(*call, places);
}

std::vector<Place> Places::stores_of(const Function& function) {
  auto known = stores_.find(&function);
  if (known != stores_.end()) return known->second;
  stores_[&function] = {Place()};  // For functions that call themselves.
  std::vector<Place> places;
  for (const Instruction& instruction : instructions(function)) add_stores(instruction, places);
  return stores_[&function] = places;
}

}  // namespace cuco_costs
