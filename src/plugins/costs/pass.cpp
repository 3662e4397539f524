// A plugin for Clang that makes a lowered program count what it does: for every basic block it adds the block's
// floating-point operations, integer operations, and bytes of shared and global memory to cuco_costs. Whether global
// memory is another device's is asked once per base pointer, where that pointer is made.
// It runs last, so that it counts what is left after optimisation. Locals live in registers on a GPU: not counted.
// bodies.h has what is done before that for sampled runs, guards.h what is done after it.
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/costs/bodies.h"
#include "plugins/costs/call_sites.h"
#include "plugins/costs/guards.h"
#include "plugins/costs/placement.h"
#include "plugins/costs/shared_arguments.h"
#include "plugins/costs/shared_use.h"
#include "plugins/costs/warp_lanes.h"

namespace {

using namespace llvm;
using cuco_costs::CallSites;
using cuco_costs::Placement;
using cuco_costs::WarpLanes;

// Indices into cuco_costs; vcluster/runtime/timing/costs.h names the same.
enum Counter : unsigned {
  Fp,
  Integer,
  SharedBytes,
  GlobalBytes,
  Tensor,
  PeerBytes,
  HbmBytes,
  SerialLoads,
  AccessedBytes,
  CounterCount
};

enum class Memory { Free, Shared, Global };

// Bytes that a block copies or fills, as many as a value says.
struct Filling {
  Memory target;
  Value* length;
  uint64_t times;  // The bytes are read as well, or only written.
};

struct Counts : std::array<uint64_t, CounterCount> {
  std::vector<Filling> fillings = {};
  MapVector<const Value*, uint64_t> bytes_by_base = {};  // Of global memory whose device is known only at run time.
};

// Addresses of device memory, as vcluster/runtime/gpu/memory.h lays them out: device d has the tag kFirstDevice + d.
constexpr unsigned kDeviceShift = 38;
constexpr uint64_t kFirstDevice = 64, kDevicesMax = 64;

// What a slow operation costs in units of an add.
constexpr uint64_t kDivision = 8;
constexpr uint64_t kMathCall = 16;

constexpr unsigned kCallsMax = 8;     // That an argument is followed through.
constexpr size_t kOperandsMax = 256;  // That are followed to find out what an address depends on.

bool is_shared_memory(const Value* base) {
  if (const auto* variable = dyn_cast<GlobalVariable>(base)) return variable->getSection() == "cuco_shared";
  const auto* load = dyn_cast<LoadInst>(base);
  return load && load->getPointerOperand()->getName() == "cuco_dynamic_shared_base";
}

bool is_index(StringRef name) {
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
}

// Locals, constants, registers and what belongs to the virtual cluster itself.
bool is_free(const Value* base) {
  if (isa<AllocaInst>(base)) return true;
  const auto* load = dyn_cast<LoadInst>(base);
  if (load && load->getPointerOperand()->getName() == "cuco_position") return true;
  const auto* variable = dyn_cast<GlobalVariable>(base);
  if (!variable) return false;
  StringRef name = variable->getName();
  return variable->isConstant() || name.starts_with("cuco_") || is_index(name);
}

// An argument is what all callers give, where that is the same.
Memory memory_of(const Value* base, const CallSites& calls, unsigned depth = 0) {
  if (is_free(base)) return Memory::Free;
  if (is_shared_memory(base)) return Memory::Shared;
  const auto* argument = dyn_cast<Argument>(base);
  if (!argument || depth == kCallsMax) return Memory::Global;
  std::optional<Memory> given;
  for (const CallBase* call : calls.of(*argument->getParent())) {
    if (argument->getArgNo() >= call->arg_size()) return Memory::Global;
    Memory memory = memory_of(getUnderlyingObject(call->getArgOperand(argument->getArgNo())), calls, depth + 1);
    if (given.value_or(memory) != memory) return Memory::Global;
    given = memory;
  }
  return given.value_or(Memory::Global);
}

void count_access(const Value* pointer, uint64_t bytes, WarpLanes& lanes, Counts& counts) {
  const Value* base = getUnderlyingObject(pointer);
  Memory memory = memory_of(base, lanes.calls());
  if (bytes == 0 || memory == Memory::Free) return;
  counts[AccessedBytes] += bytes;
  if (memory == Memory::Shared) {
    counts[SharedBytes] += lanes.bank_bytes(pointer, bytes);
    return;
  }
  counts[GlobalBytes] += lanes.sector_bytes(pointer, bytes);
  if (isa<Argument>(base) || isa<Instruction>(base)) counts.bytes_by_base[base] += bytes;
}

// A load whose address needs what the same load brought in an earlier round: nothing can hide its latency.
bool is_serial(const LoadInst& load) {
  if (is_free(getUnderlyingObject(load.getPointerOperand()))) return false;
  SmallPtrSet<const Instruction*, 16> seen;
  SmallVector<const Value*, 16> open = {load.getPointerOperand()};
  while (!open.empty() && seen.size() < kOperandsMax) {
    const auto* next = dyn_cast<Instruction>(open.pop_back_val());
    if (next == &load) return true;
    if (!next || isa<CallInst>(next) || !seen.insert(next).second) continue;
    open.append(next->op_begin(), next->op_end());
  }
  return false;
}

uint64_t lanes_of(const Type* type) {
  const auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

void count_call(const CallInst& call, WarpLanes& lanes, Counts& counts) {
  if (const auto* copy = dyn_cast<MemIntrinsic>(&call)) {
    if (const auto* length = dyn_cast<ConstantInt>(copy->getLength()))
      count_access(copy->getDest(), length->getZExtValue(), lanes, counts);
    else if (copy->getLength()->getType()->isIntegerTy(64))
      counts.fillings.push_back({memory_of(getUnderlyingObject(copy->getDest()), lanes.calls()), copy->getLength(),
                                 isa<MemTransferInst>(copy) ? 2u : 1u});
    return;
  }
  const Function* callee = call.getCalledFunction();
  if (!callee || !call.getType()->getScalarType()->isFloatingPointTy()) return;
  bool fused = callee->getName().contains("fma") || callee->getName().contains("fmuladd");
  counts[Fp] += (fused ? 2 : callee->isIntrinsic() ? 1 : kMathCall) * lanes_of(call.getType());
}

void count_instruction(const Instruction& instruction, const DataLayout& layout, WarpLanes& lanes, Counts& counts) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    counts[SerialLoads] += is_serial(*load);
    return count_access(load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), lanes, counts);
  }
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return count_access(store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()), lanes,
                        counts);
  if (const auto* call = dyn_cast<CallInst>(&instruction)) return count_call(*call, lanes, counts);
  if (isa<GetElementPtrInst>(instruction) || isa<ICmpInst>(instruction)) {
    counts[Integer] += 1;
    return;
  }
  if (!isa<BinaryOperator>(instruction)) return;
  bool floating = instruction.getType()->getScalarType()->isFloatingPointTy();
  bool division = instruction.getOpcode() == Instruction::FDiv || instruction.getOpcode() == Instruction::SDiv ||
                  instruction.getOpcode() == Instruction::UDiv;
  counts[floating ? Fp : Integer] += lanes_of(instruction.getType()) * (division ? kDivision : 1);
}

// Of one function: 1 for a base pointer into another device's memory, else 0.
class PeerTests {
 public:
  explicit PeerTests(GlobalVariable* own_tag) : own_tag_(own_tag) {}

  // Null where no test can be placed.
  Value* of(const Value* base) {
    auto [entry, is_first] = tests_.insert({base, nullptr});
    if (is_first) entry->second = make(const_cast<Value*>(base));
    return entry->second;
  }

 private:
  Value* make(Value* base) {
    std::optional<BasicBlock::iterator> place;
    if (auto* argument = dyn_cast<Argument>(base))
      place = argument->getParent()->getEntryBlock().getFirstInsertionPt();
    else
      place = cast<Instruction>(base)->getInsertionPointAfterDef();
    if (!place) return nullptr;
    IRBuilder<> builder((*place)->getParent(), *place);
    Value* tag = builder.CreateLShr(builder.CreatePtrToInt(base, builder.getInt64Ty()), kDeviceShift);
    Value* on_device =
        builder.CreateICmpULT(builder.CreateSub(tag, builder.getInt64(kFirstDevice)), builder.getInt64(kDevicesMax));
    Value* foreign = builder.CreateICmpNE(tag, builder.CreateLoad(builder.getInt64Ty(), own_tag_));
    return builder.CreateZExt(builder.CreateAnd(on_device, foreign), builder.getInt64Ty());
  }

  GlobalVariable* own_tag_;
  DenseMap<const Value*, Value*> tests_;
};

void add_counts(BasicBlock& block, const Counts& counts, Placement& placement, PeerTests& peers) {
  for (unsigned i = 0; i < CounterCount; i++) placement.add(block, i, counts[i]);
  for (const Filling& filling : counts.fillings) {
    placement.add(block, AccessedBytes, filling.times, filling.length);
    if (filling.target == Memory::Free) continue;
    placement.add(block, filling.target == Memory::Shared ? SharedBytes : GlobalBytes, 1, filling.length);
  }
  for (const auto& [base, bytes] : counts.bytes_by_base)
    if (Value* test = peers.of(base)) placement.add(block, PeerBytes, bytes, test);
}

struct CountCosts : PassInfoMixin<CountCosts> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    FunctionAnalysisManager& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    auto* type = ArrayType::get(Type::getInt64Ty(module.getContext()), CounterCount);
    auto* counters = cast<GlobalVariable>(module.getOrInsertGlobal("cuco_costs", type));
    auto* own_tag =
        cast<GlobalVariable>(module.getOrInsertGlobal("cuco_own_tag", Type::getInt64Ty(module.getContext())));
    const CallSites calls(module);
    // All are counted before the first test is placed, so that no test is counted.
    std::vector<CountedFunction> counted;
    for (Function& function : module)
      if (!function.isDeclaration() && !function.getName().contains("cuco_uncounted"))
        counted.push_back(count_in(function, calls));
    for (const CountedFunction& each : counted) add_to(each, of_functions, counters, own_tag);
    cuco_costs::announce_shared_use(module);
    return PreservedAnalyses::none();
  }

 private:
  struct CountedFunction {
    Function* function;
    std::vector<std::pair<BasicBlock*, Counts>> blocks = {};
  };

  static CountedFunction count_in(Function& function, const CallSites& calls) {
    CountedFunction counted{&function};
    WarpLanes lanes(function.getDataLayout(), calls);
    for (BasicBlock& block : function) {
      Counts& counts = counted.blocks.emplace_back(&block, Counts{}).second;
      for (const Instruction& instruction : block)
        count_instruction(instruction, function.getDataLayout(), lanes, counts);
    }
    return counted;
  }

  static void add_to(const CountedFunction& counted, FunctionAnalysisManager& analyses, GlobalVariable* counters,
                     GlobalVariable* own_tag) {
    PeerTests peers(own_tag);
    Placement placement(*counted.function, analyses, counters);
    for (const auto& [block, counts] : counted.blocks) add_counts(*block, counts, placement, peers);
    placement.emit();
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cuco-costs", "1", [](PassBuilder& builder) {
            builder.registerPipelineEarlySimplificationEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(cuco_costs::MarkBodies()); });
            builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel) {
              passes.addPass(CountCosts());
              passes.addPass(cuco_costs::GuardMemory());
              passes.addPass(cuco_costs::ShareArguments());
            });
          }};
}
