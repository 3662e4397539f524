#include "plugins/costs/guards.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>
#include <vector>

#include "plugins/costs/called_names.h"
#include "plugins/costs/stack_slack.h"

namespace cuco_costs {

using namespace llvm;

namespace {

// As vcluster/runtime/gpu/memory.h lays out addresses.
constexpr unsigned kOwnShift = 38;     // What is above is equal for all memory of a device, or of a process's heap.
constexpr unsigned kSharedShift = 32;  // What is above is zero for shared memory.

constexpr int64_t kSpanMax = 4096;  // Of the accesses that one guard stands for.

// What the address is a constant distance from.
struct GuardedPlace {
  Value* root = nullptr;
  int64_t offset = 0;
};

GuardedPlace guarded_place(Value* pointer, const DataLayout& layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value* root = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {root, offset.getSExtValue()};
}

// The variable whose copy of the running thread this is.
const GlobalVariable* thread_local_of(const Value* value) {
  const auto* call = dyn_cast<IntrinsicInst>(value);
  if (!call || call->getIntrinsicID() != Intrinsic::threadlocal_address) return nullptr;
  return dyn_cast<GlobalVariable>(call->getArgOperand(0));
}

// Of a local or global variable, or of an argument that is a copy; none for others.
std::optional<uint64_t> bytes_of(const Value* object, const DataLayout& layout) {
  if (const auto* local = dyn_cast<AllocaInst>(object))
    if (std::optional<TypeSize> bytes = local->getAllocationSize(layout)) return bytes->getFixedValue();
  if (const GlobalVariable* own = thread_local_of(object)) object = own;
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return layout.getTypeAllocSize(variable->getValueType());
  const auto* argument = dyn_cast<Argument>(object);
  if (argument && argument->hasByValAttr()) return argument->getPassPointeeByValueCopySize(layout);
  if (argument && argument->hasStructRetAttr()) return layout.getTypeAllocSize(argument->getParamStructRetType());
  return std::nullopt;
}

// What a function of the runner or the C library returns to be read, as the code of headers does it.
bool is_given_to_read(const Value* pointer, const Function& reader) {
  if (reader.getName().contains("cuco_uncounted")) return true;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [](const Value* object) {
    const auto* call = dyn_cast<CallBase>(object);
    return call && call->getCalledFunction() && gives_memory(call->getCalledFunction()->getName());
  });
}

// Memory of the runner that it gives to the code of the stand-in headers.
bool is_given(const Value* root) {
  if (const auto* load = dyn_cast<LoadInst>(root)) return load->getPointerOperand()->getName() == "cuco_position";
  if (const auto* call = dyn_cast<CallBase>(root))
    return call->getCalledFunction() && call->getCalledFunction()->getName() == "__errno_location";
  const auto* argument = dyn_cast<Argument>(root);
  return argument && handles_arguments(argument->getParent()->getName());
}

bool is_shared(const Value* object) {
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->getSection() == "cuco_shared";
  const auto* load = dyn_cast<LoadInst>(object);
  return load && load->getPointerOperand()->getName() == "cuco_dynamic_shared_base";
}

// Neighbouring accesses that one guard stands for.
struct Span {
  Instruction* first = nullptr;
  int64_t begin = 0, end = 0;
  bool writes = false;
};

class Guards {
 public:
  explicit Guards(Module& module)
      : module_(module),
        layout_(module.getDataLayout()),
        pointer_(PointerType::getUnqual(module.getContext())),
        word_(Type::getInt64Ty(module.getContext())),
        flag_(Type::getInt8Ty(module.getContext())) {
    Type* nothing = Type::getVoidTy(module.getContext());
    access_ = module.getOrInsertFunction("cuco_guard", nothing, pointer_, word_, flag_);
    argument_ = module.getOrInsertFunction("cuco_guard_argument", nothing, pointer_);
    call_ = module.getOrInsertFunction("cuco_guard_call", flag_, pointer_);
    own_tag_ = module.getOrInsertGlobal("cuco_own_tag", word_);
    in_library_ = module.getOrInsertGlobal("cuco_in_library", flag_);
  }

  void run() {
    std::vector<Function*> functions;
    for (Function& function : module_)
      if (!function.isDeclaration()) functions.push_back(&function);
    for (Function* function : functions) guard(*function);
  }

 private:
  void guard(Function& function) {
    tag_ = nullptr;
    std::vector<Instruction*> all;
    for (BasicBlock& block : function)
      for (Instruction& each : block) all.push_back(&each);
    for (size_t begin = 0; begin < all.size();) {
      size_t end = begin;
      while (end < all.size() && all[end]->getParent() == all[begin]->getParent() && !may_leave(*all[end])) end++;
      guard_run({all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end)});
      if (end < all.size() && may_leave(*all[end])) guard_call(cast<CallBase>(*all[end++]));
      begin = end;
    }
    for (Instruction* each : all)
      if (isa<LandingPadInst>(each)) set_in_library(*each->getNextNode(), ConstantInt::get(flag_, 0));
  }

  // A call after which the accesses that follow may not be made.
  static bool may_leave(const Instruction& instruction) {
    return isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
  }

  // Accesses of one block with no call between them.
  void guard_run(const std::vector<Instruction*>& run) {
    MapVector<Value*, std::vector<Span>> spans;
    for (Instruction* each : run) {
      if (auto* copy = dyn_cast<MemIntrinsic>(each)) {
        guard_copy(*copy);
        continue;
      }
      Value* pointer = pointer_of(*each);
      if (!pointer) continue;
      GuardedPlace place = guarded_place(pointer, layout_);
      int64_t bytes = bytes_touched(*each);
      bool is_read = isa<LoadInst>(each);
      if (is_provable(place, bytes) || (is_read && is_given_to_read(place.root, *each->getFunction()))) continue;
      join(spans[place.root], {each, place.offset, place.offset + bytes, !is_read});
    }
    for (auto& [root, parts] : spans)
      for (const Span& span : parts) guard_span(root, span);
  }

  static Value* pointer_of(Instruction& instruction) {
    if (Value* pointer = getLoadStorePointerOperand(&instruction)) return pointer;
    if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) return update->getPointerOperand();
    if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) return swap->getPointerOperand();
    return nullptr;
  }

  int64_t bytes_touched(const Instruction& instruction) const {
    const Value* value = &instruction;
    if (const auto* store = dyn_cast<StoreInst>(&instruction)) value = store->getValueOperand();
    if (const auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) value = swap->getNewValOperand();
    return static_cast<int64_t>(layout_.getTypeStoreSize(value->getType()).getFixedValue());
  }

  bool is_provable(const GuardedPlace& place, int64_t bytes) const {
    if (is_given(place.root)) return true;
    std::optional<uint64_t> size = bytes_of(place.root, layout_);
    return size && place.offset >= 0 && static_cast<uint64_t>(place.offset + bytes) <= *size;
  }

  static void join(std::vector<Span>& parts, const Span& span) {
    for (Span& known : parts) {
      int64_t begin = std::min(known.begin, span.begin), end = std::max(known.end, span.end);
      if (end - begin > kSpanMax) continue;
      known.begin = begin, known.end = end, known.writes |= span.writes;
      return;
    }
    parts.push_back(span);
  }

  void guard_span(Value* root, const Span& span) {
    IRBuilder<> builder(span.first);
    Value* pointer = span.begin == 0 ? root : builder.CreateConstGEP1_64(builder.getInt8Ty(), root, span.begin);
    ask_unless(is_fine(builder, pointer, span.end - span.begin), span.first, pointer,
               builder.getInt64(static_cast<uint64_t>(span.end - span.begin)), span.writes);
  }

  // One compare that is true for nearly all that programs do.
  Value* is_fine(IRBuilder<>& builder, Value* pointer, int64_t bytes) {
    Value* object = getUnderlyingObject(pointer, 0);
    Value* address = builder.CreatePtrToInt(pointer, word_);
    if (is_shared(object)) return builder.CreateICmpEQ(builder.CreateLShr(address, kSharedShift), builder.getInt64(0));
    const auto* variable = dyn_cast<GlobalVariable>(object);
    bool has_copies = variable && (variable->hasSection() || variable->isThreadLocal());
    std::optional<uint64_t> size = has_copies ? std::nullopt : bytes_of(object, layout_);
    if (size && *size >= static_cast<uint64_t>(bytes)) {
      Value* offset = builder.CreateSub(address, builder.CreatePtrToInt(object, word_));
      return builder.CreateICmpULE(offset, builder.getInt64(*size - static_cast<uint64_t>(bytes)));
    }
    return is_own(builder, address);
  }

  Value* is_own(IRBuilder<>& builder, Value* address) {
    return builder.CreateICmpEQ(builder.CreateLShr(address, kOwnShift), tag_in(*builder.GetInsertBlock()->getParent()));
  }

  // It never changes for a thread, so once in a function is enough.
  Value* tag_in(Function& function) {
    if (!tag_) tag_ = IRBuilder<>(&*function.getEntryBlock().getFirstInsertionPt()).CreateLoad(word_, own_tag_);
    return tag_;
  }

  void ask_unless(Value* fine, Instruction* before, Value* pointer, Value* bytes, bool writes) {
    MDNode* weights = MDBuilder(module_.getContext()).createBranchWeights(1, 1000);
    Value* doubtful = IRBuilder<>(before).CreateNot(fine);
    Instruction* then = SplitBlockAndInsertIfThen(doubtful, before, false, weights);
    IRBuilder<>(then).CreateCall(access_, {pointer, bytes, ConstantInt::get(flag_, writes)});
  }

  void guard_copy(MemIntrinsic& copy) {
    if (auto* transfer = dyn_cast<MemTransferInst>(&copy)) guard_end(copy, transfer->getSource(), false);
    guard_end(copy, copy.getDest(), true);
  }

  void guard_end(MemIntrinsic& copy, Value* pointer, bool writes) {
    GuardedPlace place = guarded_place(pointer, layout_);
    const auto* length = dyn_cast<ConstantInt>(copy.getLength());
    if (length && is_provable(place, length->getSExtValue())) return;
    if (!writes && is_given_to_read(pointer, *copy.getFunction())) return;
    IRBuilder<> builder(&copy);
    Value* bytes = builder.CreateZExtOrTrunc(copy.getLength(), word_);
    Value* address = builder.CreatePtrToInt(pointer, word_);
    Value* fine = builder.CreateAnd(is_own(builder, address), is_own(builder, builder.CreateAdd(address, bytes)));
    ask_unless(fine, &copy, pointer, bytes, writes);
  }

  void guard_call(CallBase& call) {
    if (call.isInlineAsm() || call.doesNotAccessMemory() || call.isMustTailCall()) return;
    const Function* callee = call.getCalledFunction();
    if (!callee) return guard_indirect(call);
    if (!callee->isDeclaration() || callee->getName().starts_with("cuco_")) return;
    for (Value* argument : call.args())
      if (argument->getType()->isPointerTy() && !is_provable(guarded_place(argument, layout_), 1) &&
          !isa<Constant>(argument))
        IRBuilder<>(&call).CreateCall(argument_, {argument});
    if (!is_of_runner(callee->getName())) mark_library_call(call, ConstantInt::get(flag_, 1));
  }

  void guard_indirect(CallBase& call) {
    auto* load = dyn_cast<LoadInst>(call.getCalledOperand());
    if (load && is_given(guarded_place(load->getPointerOperand(), layout_).root)) return;
    mark_library_call(call, IRBuilder<>(&call).CreateCall(call_, {call.getCalledOperand()}));
  }

  void mark_library_call(CallBase& call, Value* is_library) {
    set_in_library(call, is_library);
    Constant* no = ConstantInt::get(flag_, 0);
    if (auto* invoke = dyn_cast<InvokeInst>(&call))
      set_in_library(*invoke->getNormalDest()->getFirstInsertionPt(), no);
    else
      set_in_library(*call.getNextNode(), no);
  }

  void set_in_library(Instruction& before, Value* value) { IRBuilder<>(&before).CreateStore(value, in_library_); }

  Module& module_;
  const DataLayout& layout_;
  Type* pointer_;
  Type* word_;
  Type* flag_;
  FunctionCallee access_, argument_, call_;
  Constant *own_tag_, *in_library_;
  Value* tag_ = nullptr;  // Of the function at hand, once it is needed.
};

}  // namespace

PreservedAnalyses GuardMemory::run(Module& module, ModuleAnalysisManager&) {
  Guards(module).run();
  for (Function& function : module) add_slack(function);
  // The runner looks for it: only then does it know which memory is the program's.
  Constant* yes = ConstantInt::get(Type::getInt8Ty(module.getContext()), 1);
  new GlobalVariable(module, yes->getType(), true, GlobalValue::WeakODRLinkage, yes, "cuco_guarded");
  return PreservedAnalyses::none();
}

}  // namespace cuco_costs
