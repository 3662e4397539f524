// What a warp's access costs the memory system, from the code alone. An address is computed for all 32 lanes with
// threadIdx.x = 0 ... 31 and made-up values for everything that is the same for all of them; values loaded from
// different places count as unrelated. Loops are looked at in their first round. What comes from elsewhere, as an
// argument, as a result or through a local variable, is what is given there; of several the first that differs by lane.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "plugins/costs/call_sites.h"

namespace cuco_costs {

class WarpLanes {
 public:
  WarpLanes(const llvm::DataLayout& layout, const CallSites& calls) : layout_(layout), calls_(calls) {}

  const CallSites& calls() const { return calls_; }

  // One lane's share of the 32-byte sectors that a warp touches when every lane accesses `bytes` at `pointer`.
  uint64_t sector_bytes(const llvm::Value* pointer, uint64_t bytes);
  // One lane's share of the passes over the banks of shared memory, at 128 bytes a pass.
  uint64_t bank_bytes(const llvm::Value* pointer, uint64_t bytes);

 private:
  using Lanes = std::array<uint64_t, 32>;
  using Places = llvm::DenseSet<std::pair<const llvm::Value*, int64_t>>;  // Pointers and offsets in bytes from them.

  Lanes lanes_of(const llvm::Value* value);
  // Empty where the value depends on itself.
  std::optional<Lanes> evaluate(const llvm::Value* value);
  std::optional<Lanes> compute(const llvm::Instruction& instruction);
  std::optional<Lanes> of_load(const llvm::LoadInst& load);
  std::optional<Lanes> of_address(const llvm::GetElementPtrInst& element);
  std::optional<Lanes> of_phi(const llvm::PHINode& phi);
  std::optional<Lanes> of_call(const llvm::CallBase& call);
  std::optional<Lanes> of_argument(const llvm::Argument& argument);
  std::optional<Lanes> of_local(const llvm::Value* base, int64_t offset, Places& asked);
  std::optional<Lanes> of_stores(const llvm::AllocaInst& local, int64_t offset);
  std::optional<Lanes> of_operands(const llvm::Instruction& instruction);
  Lanes made_up(const llvm::Value* value);

  const llvm::DataLayout& layout_;
  const CallSites& calls_;
  llvm::DenseMap<const llvm::Value*, Lanes> known_;
  llvm::DenseMap<const llvm::Value*, bool> under_way_;
  llvm::DenseMap<const llvm::Value*, uint64_t> numbers_;
  unsigned depth_ = 0;
};

}  // namespace cuco_costs
