// Where a function counts what its blocks do, so that counting costs little. A block of a loop whose number of rounds
// is known beforehand is counted once, before the loop; other loops add up in registers and hand over the sum where
// they are left. Both only where nothing inside can look at the counters: those are exact at every call that may.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <utility>

namespace cuco_costs {

class Placement {
 public:
  Placement(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, llvm::GlobalVariable* counters);

  // `factor` times `amount` is added to the counter whenever the block runs. A null factor is one; any other is an
  // argument or stands where it dominates the block.
  void add(llvm::BasicBlock& block, unsigned counter, uint64_t amount, llvm::Value* factor = nullptr);

  // Writes everything that was added.
  void emit();

 private:
  struct Spot {
    llvm::BasicBlock* block;
    const llvm::SCEV* times;
  };

  Spot spot_for(llvm::BasicBlock& block, llvm::Value* factor);
  const llvm::SCEV* rounds_of(llvm::Loop* loop);
  bool is_quiet(const llvm::Loop* loop) const;
  llvm::Loop* outermost_quiet(llvm::BasicBlock* block);
  llvm::Value* sum_of(llvm::Loop* loop, unsigned counter);
  void emit_at(llvm::BasicBlock* block, unsigned counter, llvm::Value* amount);
  void hand_over(llvm::Loop* loop, unsigned counter, llvm::AllocaInst* sum);
  llvm::Value* counter_place(llvm::IRBuilder<>& builder, unsigned counter);

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  const llvm::TargetTransformInfo& target_;
  llvm::SCEVExpander expander_;
  llvm::GlobalVariable* counters_;
  llvm::DenseSet<const llvm::Loop*> quiet_;  // Found before anything is written.
  // What is added, by place: constants times a number of rounds times a factor.
  using Key = std::pair<const llvm::SCEV*, llvm::Value*>;
  llvm::MapVector<std::pair<llvm::BasicBlock*, unsigned>, llvm::MapVector<Key, uint64_t>> amounts_;
  llvm::MapVector<std::pair<llvm::Loop*, unsigned>, llvm::AllocaInst*> sums_;
};

}  // namespace cuco_costs
