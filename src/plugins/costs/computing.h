// Which functions only compute: neither they nor what they call reach other blocks or ranks, wait for them, or can be
// waited for. Barriers of the whole block and warp operations are fine, since all threads leave them out together.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <string>

namespace cuco_costs {

class Computing {
 public:
  // What the function does besides computing, such as "it waits"; empty: nothing.
  std::string obstacle(const llvm::Function& function);
  bool only_computes(const llvm::Function& function) { return obstacle(function).empty(); }
  // The function or one that it calls goes round.
  bool has_loop(const llvm::Function& function);

 private:
  std::string find_obstacle(const llvm::Instruction& instruction);
  std::string obstacle_of_call(const llvm::CallBase& call);

  llvm::DenseMap<const llvm::Function*, std::string> obstacles_;
  llvm::DenseMap<const llvm::Function*, bool> loops_;
};

}  // namespace cuco_costs
