#include "plugins/costs/bodies.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "plugins/costs/annotations.h"
#include "plugins/costs/computing.h"
#include "plugins/costs/places.h"
#include "plugins/costs/steering.h"

namespace cuco_costs {

using namespace llvm;

namespace {

using Functions = SetVector<const Function*>;

const Function* defined_callee(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

// With everything that they call.
Functions reached_from(const std::vector<Function*>& kernels) {
  Functions reached(kernels.begin(), kernels.end());
  for (size_t i = 0; i < reached.size(); i++)
    for (const Instruction& instruction : instructions(reached[i]))
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        if (const Function* callee = defined_callee(*call)) reached.insert(callee);
  return reached;
}

std::string name_of(const Function& function) {
  const DISubprogram* program = function.getSubprogram();
  return (program ? program->getName() : function.getName()).str();
}

std::string place_of(const CallBase& call) {
  const DebugLoc& location = call.getDebugLoc();
  if (!location) return name_of(*call.getFunction());
  return (sys::path::filename(location->getFilename()) + ":" + Twine(location.getLine())).str();
}

struct Site {
  CallInst* call;
  std::string refusal;  // Empty: the call may be left out.
};

// Of one module.
class BodyFinder {
 public:
  explicit BodyFinder(const std::vector<Function*>& kernels)
      : device_code_(reached_from(kernels)), steering_(places_, device_code_) {
    for (const Function* kernel : kernels)
      if (!computing_.only_computes(*kernel)) executed_.insert(kernel);
    for (size_t i = 0; i < executed_.size(); i++)
      for (const Instruction& instruction : instructions(executed_[i])) look_at(instruction);
  }

  const std::vector<Site>& sites() const { return sites_; }
  // The loads that are made whatever is left out, and that decide something; with copies into locals.
  std::vector<Instruction*> steering_loads();
  std::vector<Place> stores_of(const Function& function) { return places_.stores_of(function); }
  Roots roots_of(const Value* pointer) { return places_.roots_of(pointer); }

 private:
  void look_at(const Instruction& instruction);
  std::string refusal_of(const CallInst& call, const Function& callee);
  bool writes_steering_local(const CallInst& call, const Function& callee);
  bool is_steering_local(const Value* pointer, SmallPtrSetImpl<const Value*>& seen);
  bool is_private(const Value* pointer);
  bool is_private_argument(const Argument& argument);
  bool decides(const Instruction& instruction);

  Functions device_code_, executed_;
  Places places_;
  Computing computing_;
  Steering steering_;
  std::vector<Site> sites_;
  DenseMap<const Argument*, bool> private_;
};

void BodyFinder::look_at(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  const Function* callee = call ? defined_callee(*call) : nullptr;
  if (!callee) return;
  bool is_body = isa<CallInst>(call) && computing_.has_loop(*callee) && computing_.only_computes(*callee);
  if (is_body)
    sites_.push_back({const_cast<CallInst*>(cast<CallInst>(call)), refusal_of(*cast<CallInst>(call), *callee)});
  if (!is_body || !sites_.back().refusal.empty()) executed_.insert(callee);
}

std::string BodyFinder::refusal_of(const CallInst& call, const Function& callee) {
  if (steering_.steers(&call)) return "what it returns decides what the kernel does";
  if (writes_steering_local(call, callee))
    return "what it writes into a variable of its caller decides what the kernel does";
  return "";
}

bool BodyFinder::writes_steering_local(const CallInst& call, const Function& callee) {
  SmallPtrSet<const Value*, 8> seen;
  for (const Place& place : places_.stores_of(callee))
    if (place.kind == Place::Kind::Parameter && is_steering_local(call.getArgOperand(place.parameter), seen))
      return true;
  return false;
}

// A local may be that of a caller further up.
bool BodyFinder::is_steering_local(const Value* pointer, SmallPtrSetImpl<const Value*>& seen) {
  for (const Value* root : places_.roots_of(pointer)) {
    if (!seen.insert(root).second) continue;
    const auto* argument = dyn_cast<Argument>(root);
    if ((isa<AllocaInst>(root) || (argument && argument->hasByValAttr())) && steering_.steers_from(root)) return true;
    if (!argument) continue;
    for (const User* user : argument->getParent()->users())
      if (const auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == argument->getParent())
        if (is_steering_local(call->getArgOperand(argument->getArgNo()), seen)) return true;
  }
  return false;
}

// Memory that only its own thread knows, its own or a caller's.
bool BodyFinder::is_private(const Value* pointer) {
  Roots roots = places_.roots_of(pointer);
  return std::all_of(roots.begin(), roots.end(), [&](const Value* root) {
    const auto* argument = dyn_cast<Argument>(root);
    return !Places::place_of(root) || (argument && is_private_argument(*argument));
  });
}

bool BodyFinder::is_private_argument(const Argument& argument) {
  auto [known, is_first] = private_.insert({&argument, false});
  if (!is_first) return known->second;
  const Function* function = argument.getParent();
  bool is_called = false, is_known = true;
  for (const User* user : function->users()) {
    const auto* call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledFunction() != function) return false;
    is_called = true;
    is_known = is_known && is_private(call->getArgOperand(argument.getArgNo()));
  }
  return private_[&argument] = is_called && is_known;
}

// No kernel stores to these.
bool is_built_in(const Value* pointer) {
  const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer));
  return variable && StringSwitch<bool>(variable->getName())
                         .Cases("threadIdx", "blockIdx", "blockDim", "gridDim", true)
                         .Default(variable->getName().starts_with("cuco_"));
}

bool BodyFinder::decides(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return !is_built_in(load->getPointerOperand()) && !is_private(load->getPointerOperand()) && steering_.steers(load);
  const auto* copy = dyn_cast<MemTransferInst>(&instruction);
  return copy && !is_private(copy->getSource()) && is_private(copy->getDest());
}

std::vector<Instruction*> BodyFinder::steering_loads() {
  std::vector<Instruction*> loads;
  for (const Function* function : executed_) {
    // What stands for tensor cores reads lanes' fragments alone, which no body stores to.
    if (function->getName().contains("cuco_uncounted")) continue;
    for (const Instruction& instruction : instructions(function))
      if (decides(instruction)) loads.push_back(const_cast<Instruction*>(&instruction));
  }
  return loads;
}

// Writes the calls of the runtime, whose side of them is in vcluster/runtime/gpu/bodies.h.
class Marker {
 public:
  Marker(Module& module, BodyFinder& finder)
      : module_(module),
        finder_(finder),
        pointer_(PointerType::getUnqual(module.getContext())),
        word_(Type::getInt64Ty(module.getContext())),
        stored_(StructType::get(pointer_, word_)) {}

  void mark(const Site& site);
  void announce(Instruction& load);

 private:
  Constant* text(const std::string& words);
  Constant* describe(const Site& site);
  Value* moved_by(IRBuilder<>& builder, const GlobalVariable& variable, const char* distance);
  std::pair<Value*, uint64_t> address_of(IRBuilder<>& builder, const Place& place, const CallInst& call);
  std::pair<Value*, uint64_t> address_of_variable(IRBuilder<>& builder, const GlobalVariable& variable);
  std::pair<Value*, uint64_t> address_of_parameter(IRBuilder<>& builder, const Value& argument);
  Value* list_stores(IRBuilder<>& builder, CallInst& call, uint64_t& count);

  Module& module_;
  BodyFinder& finder_;
  PointerType* pointer_;
  IntegerType* word_;
  StructType* stored_;
};

Constant* Marker::text(const std::string& words) {
  return IRBuilder<>(module_.getContext()).CreateGlobalString(words, "", 0, &module_);
}

Constant* Marker::describe(const Site& site) {
  StructType* type = StructType::get(pointer_, pointer_, pointer_);
  Constant* refusal = site.refusal.empty() ? ConstantPointerNull::get(pointer_) : text(site.refusal);
  Constant* fields =
      ConstantStruct::get(type, text(name_of(*site.call->getCalledFunction())), text(place_of(*site.call)), refusal);
  return new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, fields, "body_site");
}

// Where the running block or device has its copy of a variable.
Value* Marker::moved_by(IRBuilder<>& builder, const GlobalVariable& variable, const char* distance) {
  Value* bytes = builder.CreateLoad(word_, module_.getOrInsertGlobal(distance, word_));
  return builder.CreateGEP(builder.getInt8Ty(), const_cast<GlobalVariable*>(&variable), bytes);
}

std::pair<Value*, uint64_t> Marker::address_of_variable(IRBuilder<>& builder, const GlobalVariable& variable) {
  uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable.getValueType());
  if (is_shared_variable(&variable)) return {moved_by(builder, variable, "cuco_shared_distance"), bytes};
  if (variable.getSection() == "cuco_device") return {moved_by(builder, variable, "cuco_device_distance"), bytes};
  return {const_cast<GlobalVariable*>(&variable), bytes};
}

// No bytes: as far as the memory around it goes.
std::pair<Value*, uint64_t> Marker::address_of_parameter(IRBuilder<>& builder, const Value& argument) {
  Roots roots = finder_.roots_of(&argument);
  const auto* variable = roots.size() == 1 ? dyn_cast<GlobalVariable>(roots[0]) : nullptr;
  if (variable) return address_of_variable(builder, *variable);
  return {const_cast<Value*>(&argument), 0};
}

std::pair<Value*, uint64_t> Marker::address_of(IRBuilder<>& builder, const Place& place, const CallInst& call) {
  switch (place.kind) {
    case Place::Kind::Parameter:
      return address_of_parameter(builder, *call.getArgOperand(place.parameter));
    case Place::Kind::Field: {
      Value* field = builder.CreateConstGEP1_64(builder.getInt8Ty(), call.getArgOperand(place.parameter),
                                                static_cast<uint64_t>(place.offset));
      return {builder.CreateLoad(pointer_, field), 0};
    }
    case Place::Kind::Variable:
      return address_of_variable(builder, *place.variable);
    case Place::Kind::DynamicShared:
      return {builder.CreateLoad(pointer_, module_.getOrInsertGlobal("cuco_dynamic_shared_base", pointer_)), 0};
    case Place::Kind::Anywhere:
      break;
  }
  return {ConstantPointerNull::get(pointer_), 0};
}

Value* Marker::list_stores(IRBuilder<>& builder, CallInst& call, uint64_t& count) {
  std::vector<Place> places = finder_.stores_of(*call.getCalledFunction());
  count = places.size();
  IRBuilder<> entry(&call.getFunction()->getEntryBlock().front());
  Value* list = entry.CreateAlloca(ArrayType::get(stored_, count));
  for (uint64_t i = 0; i < count; i++) {
    auto [address, bytes] = address_of(builder, places[i], call);
    Value* item = builder.CreateConstGEP1_64(stored_, list, i);
    builder.CreateStore(address, item);
    builder.CreateStore(builder.getInt64(bytes), builder.CreateStructGEP(stored_, item, 1));
  }
  return list;
}

void Marker::mark(const Site& site) {
  CallInst* call = site.call;
  IRBuilder<> builder(call);
  Constant* about = describe(site);
  uint64_t count = 0;
  Value* stores = list_stores(builder, *call, count);
  FunctionCallee begin =
      module_.getOrInsertFunction("cuco_body_begin", builder.getInt32Ty(), pointer_, pointer_, word_);
  FunctionCallee end = module_.getOrInsertFunction("cuco_body_end", builder.getVoidTy());
  Value* is_made = builder.CreateIsNotNull(builder.CreateCall(begin, {about, stores, builder.getInt64(count)}));
  BasicBlock* before = call->getParent();
  Instruction* inside = SplitBlockAndInsertIfThen(is_made, call->getIterator(), false);
  BasicBlock* after = call->getParent();
  call->moveBefore(inside);
  IRBuilder<>(inside).CreateCall(end);
  if (call->getType()->isVoidTy() || call->use_empty()) return;
  PHINode* result = PHINode::Create(call->getType(), 2, "", after->begin());
  call->replaceAllUsesWith(result);
  result->addIncoming(call, inside->getParent());
  result->addIncoming(Constant::getNullValue(call->getType()), before);
}

// Nothing that the optimiser does to memory is in the way of this call.
void Marker::announce(Instruction& load) {
  IRBuilder<> builder(&load);
  FunctionCallee steer = module_.getOrInsertFunction("cuco_steer", builder.getVoidTy(), pointer_);
  auto* declared = cast<Function>(steer.getCallee());
  declared->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  declared->setDoesNotThrow(), declared->setWillReturn();
  auto* copy = dyn_cast<MemTransferInst>(&load);
  builder.CreateCall(steer, {copy ? copy->getSource() : cast<LoadInst>(load).getPointerOperand()});
}

}  // namespace

PreservedAnalyses MarkBodies::run(Module& module, ModuleAnalysisManager&) {
  std::vector<Function*> kernels = annotated_functions(module, kKernel);
  if (kernels.empty()) return PreservedAnalyses::all();
  BodyFinder finder(kernels);
  auto may_be_left_out = [](const Site& site) { return site.refusal.empty(); };
  if (finder.sites().empty()) return PreservedAnalyses::all();
  std::vector<Instruction*> loads;
  if (std::any_of(finder.sites().begin(), finder.sites().end(), may_be_left_out)) loads = finder.steering_loads();
  Marker marker(module, finder);
  for (Instruction* load : loads) marker.announce(*load);
  for (const Site& site : finder.sites()) marker.mark(site);
  return PreservedAnalyses::none();
}

}  // namespace cuco_costs
