// Loads that one hook can report: of one line, in one stretch of code that neither stores nor calls, at even distances.
// Unrolled loops over rows and columns of a tile are full of them.
#pragma once

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace {

constexpr size_t kRunLengthMin = 3;

struct ReadRun {
  std::vector<llvm::LoadInst*> loads;  // Each address once. In front the one that is executed first.
  int64_t first_offset = 0;            // From that one's address to the lowest.
  uint64_t stride = 0;
};

// Loads whose distances from the first are known, by distance.
struct ReadGroup {
  llvm::LoadInst* first;
  const llvm::Constant* line;
  std::map<int64_t, std::vector<llvm::LoadInst*>> by_offset;
};

inline bool ends_stretch(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::LoadInst>(instruction)) return !llvm::cast<llvm::LoadInst>(instruction).isSimple();
  return instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::DbgInfoIntrinsic>(instruction);
}

inline std::optional<int64_t> distance(llvm::ScalarEvolution& evolution, llvm::LoadInst* from, llvm::LoadInst* to) {
  const llvm::SCEV* a = evolution.getSCEV(from->getPointerOperand());
  const llvm::SCEV* b = evolution.getSCEV(to->getPointerOperand());
  const auto* difference = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(b, a));
  if (!difference) return std::nullopt;
  return difference->getAPInt().getSExtValue();
}

inline void add_to_group(std::vector<ReadGroup>& groups, llvm::LoadInst* load, const llvm::Constant* line,
                         llvm::ScalarEvolution& evolution) {
  for (ReadGroup& group : groups) {
    if (group.line != line) continue;
    std::optional<int64_t> offset = distance(evolution, group.first, load);
    if (!offset) continue;
    group.by_offset[*offset].push_back(load);
    return;
  }
  groups.push_back({load, line, {{0, {load}}}});
}

// The whole group as one run, when its distances are even.
inline std::optional<ReadRun> run_of(const ReadGroup& group) {
  if (group.by_offset.size() < kRunLengthMin) return std::nullopt;
  ReadRun run = {{group.first}, group.by_offset.begin()->first, 0};
  int64_t stride = std::next(group.by_offset.begin())->first - run.first_offset, expected = run.first_offset;
  for (const auto& [offset, loads] : group.by_offset) {
    if (offset != expected) return std::nullopt;
    expected += stride;
    if (loads.front() != group.first) run.loads.push_back(loads.front());
  }
  run.stride = static_cast<uint64_t>(stride);
  return run;
}

template <class IsCandidate, class LineOf>
std::vector<ReadRun> find_read_runs(llvm::Function& function, llvm::ScalarEvolution& evolution,
                                    IsCandidate is_candidate, LineOf line_of) {
  std::vector<ReadRun> runs;
  std::vector<ReadGroup> groups;
  auto close = [&] {
    for (const ReadGroup& group : groups)
      if (std::optional<ReadRun> run = run_of(group)) runs.push_back(std::move(*run));
    groups.clear();
  };
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      if (ends_stretch(instruction)) close();
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && is_candidate(*load)) add_to_group(groups, load, line_of(*load), evolution);
    }
    close();
  }
  return runs;
}

}  // namespace
