// A plugin for Clang that makes a lowered program count what it does: at the end of every basic block it adds the
// block's floating-point operations, integer operations, and bytes of shared and global memory to cuco_costs.
// It runs last, so that it counts what is left after optimisation. Locals live in registers on a GPU: not counted.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <array>

namespace {

using namespace llvm;

// Indices into cuco_costs; vcluster/runtime/costs.h names the same.
enum Counter : unsigned { Fp, Integer, SharedBytes, GlobalBytes, CounterCount };
using Counts = std::array<uint64_t, CounterCount>;

// What a slow operation costs in units of an add.
constexpr uint64_t kDivision = 8;
constexpr uint64_t kMathCall = 16;

bool is_shared_memory(const Value* base) {
  if (const auto* variable = dyn_cast<GlobalVariable>(base)) return variable->getSection() == "cuco_shared";
  const auto* load = dyn_cast<LoadInst>(base);
  return load && load->getPointerOperand()->getName() == "cuco_dynamic_shared_base";
}

void count_access(const Value* pointer, uint64_t bytes, Counts& counts) {
  const Value* base = getUnderlyingObject(pointer);
  if (isa<AllocaInst>(base)) return;
  const auto* variable = dyn_cast<GlobalVariable>(base);
  if (variable && (variable->isConstant() || variable->getName().starts_with("cuco_"))) return;
  counts[is_shared_memory(base) ? SharedBytes : GlobalBytes] += bytes;
}

uint64_t lanes_of(const Type* type) {
  const auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

void count_call(const CallInst& call, const DataLayout& layout, Counts& counts) {
  if (const auto* copy = dyn_cast<MemIntrinsic>(&call)) {
    const auto* length = dyn_cast<ConstantInt>(copy->getLength());
    if (length) count_access(copy->getDest(), length->getZExtValue(), counts);
    return;
  }
  const Function* callee = call.getCalledFunction();
  if (!callee || !call.getType()->getScalarType()->isFloatingPointTy()) return;
  (void)layout;
  bool fused = callee->getName().contains("fma") || callee->getName().contains("fmuladd");
  counts[Fp] += (fused ? 2 : callee->isIntrinsic() ? 1 : kMathCall) * lanes_of(call.getType());
}

void count_instruction(const Instruction& instruction, const DataLayout& layout, Counts& counts) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return count_access(load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), counts);
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return count_access(store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()),
                        counts);
  if (const auto* call = dyn_cast<CallInst>(&instruction)) return count_call(*call, layout, counts);
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

void add_to_counters(BasicBlock& block, const Counts& counts, GlobalVariable* counters) {
  IRBuilder<> builder(block.getTerminator());
  Type* word = builder.getInt64Ty();
  for (unsigned i = 0; i < CounterCount; i++) {
    if (counts[i] == 0) continue;
    Value* place = builder.CreateConstInBoundsGEP2_64(counters->getValueType(), counters, 0, i);
    Value* sum = builder.CreateAdd(builder.CreateLoad(word, place), builder.getInt64(counts[i]));
    builder.CreateStore(sum, place);
  }
}

struct CountCosts : PassInfoMixin<CountCosts> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    auto* type = ArrayType::get(Type::getInt64Ty(module.getContext()), 8);
    auto* counters = cast<GlobalVariable>(module.getOrInsertGlobal("cuco_costs", type));
    for (Function& function : module)
      for (BasicBlock& block : function) {
        Counts counts = {};
        for (const Instruction& instruction : block) count_instruction(instruction, module.getDataLayout(), counts);
        add_to_counters(block, counts, counters);
      }
    return PreservedAnalyses::none();
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cuco-costs", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(CountCosts()); });
          }};
}
