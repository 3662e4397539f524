#include "plugins/costs/placement.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace cuco_costs {

using namespace llvm;

namespace {

constexpr unsigned kExpansionBudget = 8;  // Cheap operations that the number of rounds may take to compute.

// Only hooks of the runtime, what may reach them and the stand-in headers look at the counters.
bool may_look(const Instruction& instruction, const GlobalVariable* counters) {
  if (const Value* pointer = getLoadStorePointerOperand(&instruction)) return getUnderlyingObject(pointer) == counters;
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call) || call->doesNotAccessMemory()) return false;
  const Function* callee = call->getCalledFunction();
  return !callee || !(callee->getName() == "cuco_check_window" || callee->getName().contains("cuco_uncounted"));
}

}  // namespace

Placement::Placement(Function& function, FunctionAnalysisManager& analyses, GlobalVariable* counters)
    : function_(function),
      loops_(analyses.getResult<LoopAnalysis>(function)),
      evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
      dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
      target_(analyses.getResult<TargetIRAnalysis>(function)),
      expander_(evolution_, function.getDataLayout(), "cuco"),
      counters_(counters) {
  for (Loop* loop : loops_.getLoopsInPreorder())
    if (is_quiet(loop)) quiet_.insert(loop);
}

bool Placement::is_quiet(const Loop* loop) const {
  if (!loop->isLoopSimplifyForm()) return false;
  for (const BasicBlock* block : loop->blocks())
    for (const Instruction& instruction : *block)
      if (may_look(instruction, counters_)) return false;
  return true;
}

// How often the loop's body runs, or null where that is not known before.
const SCEV* Placement::rounds_of(Loop* loop) {
  if (!quiet_.contains(loop) || loop->getExitingBlock() != loop->getLoopLatch()) return nullptr;
  const SCEV* back = evolution_.getBackedgeTakenCount(loop);
  if (isa<SCEVCouldNotCompute>(back)) return nullptr;
  Type* wide = Type::getInt64Ty(function_.getContext());
  if (evolution_.getTypeSizeInBits(back->getType()) > 64) return nullptr;
  return evolution_.getAddExpr(evolution_.getNoopOrZeroExtend(back, wide), evolution_.getOne(wide));
}

Placement::Spot Placement::spot_for(BasicBlock& block, Value* factor) {
  Spot spot = {&block, evolution_.getOne(Type::getInt64Ty(function_.getContext()))};
  for (Loop* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
    const SCEV* rounds = rounds_of(loop);
    if (!rounds || !dominators_.dominates(spot.block, loop->getLoopLatch())) break;
    if (!evolution_.isLoopInvariant(spot.times, loop) || (factor && !loop->isLoopInvariant(factor))) break;
    const SCEV* times = evolution_.getMulExpr(spot.times, rounds);
    Instruction* end = loop->getLoopPreheader()->getTerminator();
    if (!expander_.isSafeToExpandAt(times, end)) break;
    if (expander_.isHighCostExpansion({times}, loop, kExpansionBudget, &target_, end)) break;
    spot = {loop->getLoopPreheader(), times};
  }
  return spot;
}

void Placement::add(BasicBlock& block, unsigned counter, uint64_t amount, Value* factor) {
  if (amount == 0) return;
  Spot spot = spot_for(block, factor);
  amounts_[{spot.block, counter}][{spot.times, factor}] += amount;
}

Loop* Placement::outermost_quiet(BasicBlock* block) {
  Loop* found = nullptr;
  for (Loop* loop = loops_.getLoopFor(block); loop && quiet_.contains(loop); loop = loop->getParentLoop()) found = loop;
  return found;
}

Value* Placement::counter_place(IRBuilder<>& builder, unsigned counter) {
  return builder.CreateConstInBoundsGEP2_64(counters_->getValueType(), counters_, 0, counter);
}

// A variable that becomes a register once all is written.
Value* Placement::sum_of(Loop* loop, unsigned counter) {
  AllocaInst*& sum = sums_[{loop, counter}];
  if (sum) return sum;
  IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  sum = entry.CreateAlloca(entry.getInt64Ty());
  IRBuilder<>(loop->getLoopPreheader()->getTerminator()).CreateStore(entry.getInt64(0), sum);
  return sum;
}

void Placement::emit_at(BasicBlock* block, unsigned counter, Value* amount) {
  IRBuilder<> builder(block->getTerminator());
  Loop* loop = outermost_quiet(block);
  Value* place = loop ? sum_of(loop, counter) : counter_place(builder, counter);
  builder.CreateStore(builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), place), amount), place);
}

void Placement::hand_over(Loop* loop, unsigned counter, AllocaInst* sum) {
  SmallVector<BasicBlock*, 4> exits;
  loop->getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits) {
    IRBuilder<> builder(exit, exit->getFirstInsertionPt());
    Value* place = counter_place(builder, counter);
    Value* before = builder.CreateLoad(builder.getInt64Ty(), place);
    builder.CreateStore(builder.CreateAdd(before, builder.CreateLoad(builder.getInt64Ty(), sum)), place);
  }
}

void Placement::emit() {
  for (const auto& [where, terms] : amounts_) {
    Instruction* end = where.first->getTerminator();
    IRBuilder<> builder(end);
    Value* total = nullptr;
    for (const auto& [key, amount] : terms) {
      Value* term = expander_.expandCodeFor(key.first, builder.getInt64Ty(), end);
      builder.SetInsertPoint(end);
      term = builder.CreateMul(term, builder.getInt64(amount));
      if (key.second) term = builder.CreateMul(term, key.second);
      total = total ? builder.CreateAdd(total, term) : term;
    }
    emit_at(where.first, where.second, total);
  }
  SmallVector<AllocaInst*, 8> sums;
  for (const auto& [where, sum] : sums_) {
    hand_over(where.first, where.second, sum);
    sums.push_back(sum);
  }
  if (!sums.empty()) PromoteMemToReg(sums, dominators_);
}

}  // namespace cuco_costs
