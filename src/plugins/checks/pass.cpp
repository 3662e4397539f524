// A plugin for Clang that makes a lowered program report its memory accesses: the checking build of the virtual
// cluster. It runs after inlining and simplification and before vectorisation, so locals are in registers by then but
// accesses of different source lines are still apart.
//   cuco_read4(address, site) and its kin        before every plain, aligned load and store of the user's code
//   cuco_reads4(address, count, stride, site)    before several loads of one line at even distances
//   cuco_access(address, bytes, flags, site)     before all its other accesses
//   cuco_carry4(address, site) and its kin       instead of cuco_read4 where the value is only stored elsewhere
//   cuco_carried(to, from, bytes)                after such a store
//   cuco_release(address, bytes, site)           before memory on the host's stack or heap goes away
//   cuco_call_site = &site                       before every call of a library function
// Stand-in headers are not the user's code: what they touch on his behalf is reported at the line that called them.
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "plugins/checks/read_runs.h"

namespace {

using namespace llvm;

// As vcluster/runtime/checkers/access.h numbers them.
enum Kind : unsigned { Read, Write, AtomicRead, AtomicWrite, AtomicUpdate };
enum Scope : unsigned { Block, Device, System };
constexpr unsigned kCopiesObject = 1u << 13;
constexpr unsigned kIsLibrary = 1u << 14;
constexpr unsigned kHasNoPlace = 1u << 15;  // The program may not make this access at all.
constexpr unsigned kCarries = 1u << 16;     // What was never written stays so where it is stored.

// Bytes after each __shared__ variable that belong to nobody: an access beyond its end does not reach the next one.
constexpr uint64_t kRedZoneBytes = 64;

struct Frame {
  StringRef file, function;
  unsigned line = 0;
};

bool is_system(StringRef file) { return file.starts_with("/usr/") || file.starts_with("/lib/") || file.empty(); }
bool is_stand_in(StringRef file) { return file.contains("device/include/"); }

// What the access is on behalf of: the innermost frame that is the user's, and how the stand-in below it is called.
struct Origin {
  Frame user;
  Frame inner, outer;  // Stand-in functions: the one that touches the memory, the one the user called.
  bool in_stand_in = false;
  bool has_user = false;
};

Frame frame_of(const DILocation& location) {
  const DISubprogram* function = location.getScope()->getSubprogram();
  return {location.getFile()->getFilename(), function ? function->getName() : "", location.getLine()};
}

Origin origin_of(const Instruction& instruction) {
  Origin origin;
  for (const DILocation* at = instruction.getDebugLoc(); at; at = at->getInlinedAt()) {
    Frame frame = frame_of(*at);
    if (is_system(frame.file)) continue;
    if (!is_stand_in(frame.file)) {
      origin.user = frame;
      origin.has_user = true;
      return origin;
    }
    if (!origin.in_stand_in) origin.inner = frame;
    origin.outer = frame;
    origin.in_stand_in = true;
  }
  if (const DISubprogram* function = instruction.getFunction()->getSubprogram()) {
    origin.user = {function->getFilename(), function->getName(), function->getLine()};
    bool stand_in = is_stand_in(function->getFilename());
    if (stand_in && !origin.in_stand_in) origin.inner = origin.outer = origin.user;
    origin.in_stand_in |= stand_in;
  }
  return origin;
}

struct Treatment {
  bool atomic = false;
  Scope scope = System;
};

// Types of values, whose functions touch the object they are called for and nothing of their own.
bool is_value_type(StringRef file) {
  for (const char* header : {"/cuda_bf16.h", "/cuda_fp16.h", "/cuda_fp8.h", "/cuda_fp6.h", "/cuda_fp4.h", "/float_pair.h",
                             "/small_float.h"})
    if (file.ends_with(header)) return true;
  return false;
}

bool is_plain_accessor(const Frame& frame) {
  StringRef name = frame.function;
  if (is_value_type(frame.file)) return true;
  if (frame.file.ends_with("/ptx.h"))
    return name.starts_with("load") || name.starts_with("store") || name.starts_with("copy");
  return name.starts_with("__ld") || name.starts_with("__st") || name.contains("_matrix_sync") ||
         name.starts_with("memcpy_async");
}

// How an access inside a stand-in counts; none: it is the stand-in's own business, or reported by itself.
std::optional<Treatment> treatment_of(const Origin& origin) {
  if (!origin.in_stand_in) return Treatment{};
  StringRef outer = origin.outer.function;
  if (origin.inner.file.ends_with("/cuda_atomic.h")) return std::nullopt;
  if (outer.starts_with("atomic"))
    return Treatment{true, outer.contains("_system") ? System : outer.contains("_block") ? Block : Device};
  if (outer.starts_with("update_")) return Treatment{true, System};
  if (origin.inner.function.starts_with("cuco_polled_load")) return Treatment{true, System};
  // In parts, where it takes several words.
  if (outer.starts_with("load<true")) return Treatment{true, System};
  if (origin.inner.function.starts_with("volatile_load")) return Treatment{true, System};
  if (is_plain_accessor(origin.inner) || is_plain_accessor(origin.outer)) return Treatment{};
  return std::nullopt;
}

class Instrumenter {
 public:
  using EvolutionOf = std::function<ScalarEvolution&(Function&)>;

  Instrumenter(Module& module, EvolutionOf evolution_of);
  void run();

 private:
  void instrument(Function& function);
  void instrument_runs(Function& function);
  bool is_plain_read(const LoadInst& load);
  bool instrument_memory(Instruction& each);  // False: it is no access.
  void instrument_access(Instruction& instruction, Value* pointer, Value* bytes, Kind kind, Align alignment);
  void instrument_carrying(StoreInst& store);
  void note_carried(Instruction& after, Value* to, Value* from, Value* bytes);
  FunctionCallee quick_hook(const Value* bytes, unsigned flags);
  void report_library_write(Instruction& instruction, Value* pointer, Value* bytes, const Origin& origin);
  void instrument_copy(MemIntrinsic& copy);
  void instrument_call(CallBase& call);
  void end_lifetime(IntrinsicInst& end);
  bool is_private(const Value* pointer);
  Constant* site_of(const Origin& origin);
  Constant* text(StringRef value);
  void add_red_zones();
  GlobalVariable* with_red_zone(GlobalVariable& variable);

  Module& module_;
  LLVMContext& context_;
  const DataLayout& layout_;
  Type* pointer_;
  Type* word_;
  Type* half_;
  StructType* site_type_;
  FunctionCallee access_, carried_, release_, shared_variable_;
  GlobalVariable* call_site_;
  std::map<std::tuple<std::string, unsigned, std::string>, Constant*> sites_;
  std::map<std::string, Constant*> texts_;
  std::map<const Value*, bool> captured_;
  EvolutionOf evolution_of_;
  std::set<const Instruction*> in_runs_;  // Loads that a hook for several has reported.
};

Instrumenter::Instrumenter(Module& module, EvolutionOf evolution_of)
    : module_(module),
      context_(module.getContext()),
      layout_(module.getDataLayout()),
      evolution_of_(std::move(evolution_of)) {
  pointer_ = PointerType::getUnqual(context_);
  word_ = Type::getInt64Ty(context_);
  half_ = Type::getInt32Ty(context_);
  site_type_ = StructType::get(context_, {pointer_, half_, half_, pointer_});
  Type* nothing = Type::getVoidTy(context_);
  access_ = module.getOrInsertFunction("cuco_access", nothing, pointer_, word_, half_, pointer_);
  carried_ = module.getOrInsertFunction("cuco_carried", nothing, pointer_, pointer_, word_);
  release_ = module.getOrInsertFunction("cuco_release", nothing, pointer_, word_, pointer_);
  shared_variable_ = module.getOrInsertFunction("cuco_shared_variable", nothing, pointer_, word_);
  call_site_ = cast<GlobalVariable>(module.getOrInsertGlobal("cuco_call_site", pointer_));
}

Constant* Instrumenter::text(StringRef value) {
  Constant*& known = texts_[value.str()];
  if (known) return known;
  Constant* bytes = ConstantDataArray::getString(context_, value);
  auto* variable = new GlobalVariable(module_, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes, "cuco_text");
  return known = variable;
}

Constant* Instrumenter::site_of(const Origin& origin) {
  Constant*& known = sites_[{origin.user.file.str(), origin.user.line, origin.user.function.str()}];
  if (known) return known;
  Constant* value = ConstantStruct::get(site_type_, {text(origin.user.file), ConstantInt::get(half_, origin.user.line),
                                                     ConstantInt::get(half_, 0), text(origin.user.function)});
  return known = new GlobalVariable(module_, site_type_, false, GlobalValue::PrivateLinkage, value, "cuco_site");
}

// A local that no one else can have the address of, or a constant.
bool Instrumenter::is_private(const Value* pointer) {
  const Value* base = getUnderlyingObject(pointer);
  if (const auto* variable = dyn_cast<GlobalVariable>(base))
    return variable->isConstant() || variable->getName().starts_with("cuco_") || variable->getName().ends_with("Idx") ||
           variable->getName().ends_with("Dim");
  if (!isa<AllocaInst>(base)) return false;
  auto [known, fresh] = captured_.try_emplace(base, false);
  if (fresh) known->second = PointerMayBeCaptured(base, true, true);
  return !known->second;
}

// A load that the optimiser may have moved to where the program would not make it. Without a line but on memory that
// may not be there, it is one that several of the program's own became.
bool is_speculative(const Instruction& instruction) {
  const DebugLoc& location = instruction.getDebugLoc();
  return (!location || location.getLine() == 0) && isSafeToSpeculativelyExecute(&instruction);
}

// A copy: the value goes nowhere but into memory. Padding is copied like that, and nothing wrong is done with it.
bool carries(const Instruction& instruction) {
  if (auto* transfer = dyn_cast<MemTransferInst>(&instruction))
    return !isa<AllocaInst>(getUnderlyingObject(transfer->getDest()));
  auto* load = dyn_cast<LoadInst>(&instruction);
  if (!load || !load->isSimple() || load->use_empty()) return false;
  return all_of(load->users(), [&](const User* user) {
    auto* store = dyn_cast<StoreInst>(user);
    return store && store->isSimple() && store->getValueOperand() == load && store->getPointerOperand() != load &&
           !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  });
}

void Instrumenter::instrument_access(Instruction& instruction, Value* pointer, Value* bytes, Kind kind,
                                     Align alignment) {
  if (is_private(pointer)) return;
  Origin origin = origin_of(instruction);
  std::optional<Treatment> treatment = treatment_of(origin);
  if (!treatment && kind == Read) return;
  if (!treatment) return report_library_write(instruction, pointer, bytes, origin);
  bool atomic = treatment->atomic || instruction.isVolatile() || instruction.isAtomic();
  if (atomic && kind < AtomicRead) kind = kind == Read ? AtomicRead : treatment->atomic ? AtomicUpdate : AtomicWrite;
  unsigned flags = kind | treatment->scope << 6 | Log2(alignment) << 8;
  if (kind == Read && carries(instruction))
    flags |= kCarries;
  else if (isa<MemTransferInst>(instruction))
    flags |= kCopiesObject;
  if (kind == Read && is_speculative(instruction)) flags |= kHasNoPlace;
  IRBuilder<> builder(&instruction);
  if (FunctionCallee quick = quick_hook(bytes, flags))
    builder.CreateCall(quick, {pointer, site_of(origin)});
  else
    builder.CreateCall(access_, {pointer, bytes, builder.getInt32(flags), site_of(origin)});
}

// The hook for plain accesses of this size; none when the flags say anything else.
FunctionCallee Instrumenter::quick_hook(const Value* bytes, unsigned flags) {
  const auto* count = dyn_cast<ConstantInt>(bytes);
  if (!count || count->getZExtValue() > 16 || !isPowerOf2_64(count->getZExtValue())) return {};
  uint64_t size = count->getZExtValue();
  if ((flags & ~(1u | kCarries)) != (unsigned{System} << 6 | Log2_64(size) << 8)) return {};
  const char* kind = flags & kCarries ? "cuco_carry" : (flags & 1) == Write ? "cuco_write" : "cuco_read";
  std::string name = kind + std::to_string(size);
  return module_.getOrInsertFunction(name, Type::getVoidTy(context_), pointer_, pointer_);
}

bool Instrumenter::is_plain_read(const LoadInst& load) {
  uint64_t bytes = layout_.getTypeStoreSize(load.getType());
  if (bytes != 4 || load.getAlign() != Align(4) || !load.isSimple() || carries(load)) return false;
  if (is_private(load.getPointerOperand()) || is_speculative(load)) return false;
  std::optional<Treatment> treatment = treatment_of(origin_of(load));
  return treatment && !treatment->atomic;
}

void Instrumenter::instrument_runs(Function& function) {
  auto is_candidate = [this](const LoadInst& load) { return is_plain_read(load); };
  auto line_of = [this](const LoadInst& load) { return site_of(origin_of(load)); };
  FunctionCallee hook =
      module_.getOrInsertFunction("cuco_reads4", Type::getVoidTy(context_), pointer_, word_, word_, pointer_);
  for (const ReadRun& run : find_read_runs(function, evolution_of_(function), is_candidate, line_of)) {
    IRBuilder<> builder(run.loads.front());
    Value* first = builder.CreateConstGEP1_64(builder.getInt8Ty(), run.loads.front()->getPointerOperand(),
                                              static_cast<uint64_t>(run.first_offset));
    builder.CreateCall(
        hook, {first, builder.getInt64(run.loads.size()), builder.getInt64(run.stride), line_of(*run.loads.front())});
    in_runs_.insert(run.loads.begin(), run.loads.end());
  }
}

// What a stand-in stores counts as written, and nothing else is asked of it.
void Instrumenter::report_library_write(Instruction& instruction, Value* pointer, Value* bytes, const Origin& origin) {
  IRBuilder<> builder(&instruction);
  builder.CreateCall(access_, {pointer, bytes, builder.getInt32(Write | kIsLibrary), site_of(origin)});
}

void Instrumenter::instrument_copy(MemIntrinsic& copy) {
  IRBuilder<> builder(&copy);
  Value* bytes = builder.CreateZExtOrTrunc(copy.getLength(), word_);
  if (auto* transfer = dyn_cast<MemTransferInst>(&copy))
    instrument_access(copy, transfer->getSource(), bytes, Read, transfer->getSourceAlign().valueOrOne());
  instrument_access(copy, copy.getDest(), bytes, Write, copy.getDestAlign().valueOrOne());
  if (auto* transfer = dyn_cast<MemTransferInst>(&copy); transfer && carries(copy))
    note_carried(copy, transfer->getDest(), transfer->getSource(), bytes);
}

void Instrumenter::note_carried(Instruction& after, Value* to, Value* from, Value* bytes) {
  if (is_private(to) || is_private(from) || !treatment_of(origin_of(after))) return;
  IRBuilder<> builder(after.getNextNode());
  builder.CreateCall(carried_, {to, from, bytes});
}

void Instrumenter::instrument_carrying(StoreInst& store) {
  auto* load = dyn_cast<LoadInst>(store.getValueOperand());
  if (!load || !carries(*load)) return;
  uint64_t bytes = layout_.getTypeStoreSize(load->getType());
  note_carried(store, store.getPointerOperand(), load->getPointerOperand(), ConstantInt::get(word_, bytes));
}

bool is_library(StringRef name) {
  for (StringRef prefix : {"cuda", "nccl", "MPI_", "cuco_", "pthread_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

bool frees(StringRef name) { return name == "free" || name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv"); }

void Instrumenter::instrument_call(CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return;
  IRBuilder<> builder(&call);
  if (frees(callee->getName()))
    builder.CreateCall(release_, {call.getArgOperand(0), builder.getInt64(0), site_of(origin_of(call))});
  if (is_library(callee->getName())) builder.CreateStore(site_of(origin_of(call)), call_site_);
}

void Instrumenter::end_lifetime(IntrinsicInst& end) {
  auto* local = dyn_cast<AllocaInst>(getUnderlyingObject(end.getArgOperand(1)));
  if (!local || is_private(local)) return;
  std::optional<TypeSize> bytes = local->getAllocationSize(layout_);
  if (!bytes) return;
  IRBuilder<> builder(&end);
  builder.CreateCall(release_, {local, builder.getInt64(bytes->getFixedValue()), site_of(origin_of(end))});
}

bool Instrumenter::instrument_memory(Instruction& each) {
  auto size_of = [&](const Value* value) {
    return ConstantInt::get(word_, layout_.getTypeStoreSize(value->getType()));
  };
  if (in_runs_.contains(&each)) return true;
  if (auto* load = dyn_cast<LoadInst>(&each))
    instrument_access(each, load->getPointerOperand(), size_of(load), Read, load->getAlign());
  else if (auto* store = dyn_cast<StoreInst>(&each)) {
    instrument_access(each, store->getPointerOperand(), size_of(store->getValueOperand()), Write, store->getAlign());
    instrument_carrying(*store);
  } else if (auto* update = dyn_cast<AtomicRMWInst>(&each))
    instrument_access(each, update->getPointerOperand(), size_of(update), AtomicUpdate, update->getAlign());
  else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&each))
    instrument_access(each, swap->getPointerOperand(), size_of(swap->getNewValOperand()), AtomicUpdate,
                      swap->getAlign());
  else if (auto* copy = dyn_cast<MemIntrinsic>(&each))
    instrument_copy(*copy);
  else
    return false;
  return true;
}

void Instrumenter::instrument(Function& function) {
  instrument_runs(function);
  std::vector<Instruction*> all;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block) all.push_back(&instruction);
  for (Instruction* each : all) {
    if (instrument_memory(*each)) continue;
    auto* intrinsic = dyn_cast<IntrinsicInst>(each);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_end) end_lifetime(*intrinsic);
    if (auto* call = dyn_cast<CallBase>(each); call && !intrinsic) instrument_call(*call);
  }
}

GlobalVariable* Instrumenter::with_red_zone(GlobalVariable& variable) {
  auto* zone = ArrayType::get(Type::getInt8Ty(context_), kRedZoneBytes);
  auto* type = StructType::get(context_, {variable.getValueType(), zone});
  Constant* value = nullptr;
  if (variable.hasInitializer())
    value = ConstantStruct::get(type, {variable.getInitializer(), Constant::getNullValue(zone)});
  auto* padded = new GlobalVariable(module_, type, false, variable.getLinkage(), value, "", &variable);
  padded->copyAttributesFrom(&variable);
  padded->setComdat(variable.getComdat());
  padded->takeName(&variable);
  variable.replaceAllUsesWith(padded);
  variable.eraseFromParent();
  return padded;
}

void Instrumenter::add_red_zones() {
  std::vector<GlobalVariable*> shared;
  for (GlobalVariable& variable : module_.globals())
    if (variable.getSection() == "cuco_shared" && !variable.isDeclaration()) shared.push_back(&variable);
  if (shared.empty()) return;
  auto* type = FunctionType::get(Type::getVoidTy(context_), false);
  auto* announce = Function::Create(type, GlobalValue::InternalLinkage, "cuco_announce_shared", module_);
  IRBuilder<> builder(BasicBlock::Create(context_, "", announce));
  for (GlobalVariable* variable : shared) {
    uint64_t bytes = layout_.getTypeStoreSize(variable->getValueType());
    builder.CreateCall(shared_variable_, {with_red_zone(*variable), builder.getInt64(bytes)});
  }
  builder.CreateRetVoid();
  appendToGlobalCtors(module_, announce, 0);
}

void Instrumenter::run() {
  std::vector<Function*> functions;
  // Those of cuco's own headers that read copies whose making was checked. No program may use their names.
  auto is_unchecked = [](const Function& function) { return function.getName().contains("cuco_uncounted_unchecked"); };
  for (Function& function : module_)
    if (!function.isDeclaration() && !is_unchecked(function)) functions.push_back(&function);
  for (Function* function : functions) {
    captured_.clear();
    in_runs_.clear();
    instrument(*function);
  }
  add_red_zones();
}

struct ReportAccesses : PassInfoMixin<ReportAccesses> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    auto evolution_of = [&](Function& function) -> ScalarEvolution& {
      return of_functions.getResult<ScalarEvolutionAnalysis>(function);
    };
    Instrumenter(module, evolution_of).run();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cuco-checks", "1", [](PassBuilder& builder) {
            builder.registerOptimizerEarlyEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(ReportAccesses()); });
          }};
}
