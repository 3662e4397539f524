// Stacks for the threads of blocks. A bank holds one block's stacks; only the block that runs needs its stacks in
// place, so blocks take turns on a bank: the live bytes of the one that leaves are copied out, and back to the same
// addresses when it returns. A suspended thread then costs its few hundred live bytes and not its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vcluster/runtime/fiber.h"

namespace cuco::vcluster {

class StackBank;

// The stacks that one block uses, in whatever bank it was given.
class BlockStacks {
 public:
  // For a block that starts. Its earlier stacks, if any, are forgotten.
  void begin(StackBank& bank);
  // Before the block runs: brings its stacks into place.
  void enter();
  void end();  // The block has finished.

  Fiber* take(void (*entry)(void*), void* argument);
  void give_back(Fiber* fiber) { free_.push_back(fiber); }
  // Whether some thread has used more stack than it has, where no page stopped it.
  bool overran() const;

 private:
  void copy_out();
  void copy_in();

  StackBank* bank_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;  // By slot.
  size_t used_ = 0;                             // Slots in use; those above are of an earlier block.
  std::vector<Fiber*> free_;
  std::vector<char> parked_;  // Live bytes of all slots, one after the other.
};

class StackBank {
 public:
  static constexpr size_t kStacks = 1024;  // The most threads a block can have.
  static constexpr size_t kStackBytes = 64u << 10;

  // `guards_left` is how many stacks of all banks may still get an unmapped page at their low end.
  StackBank(uintptr_t base, size_t& guards_left);

  // Gives the fiber the stack of a slot.
  void place(Fiber& fiber, size_t slot);
  bool is_guard(uintptr_t address) const;

  BlockStacks* occupant = nullptr;

 private:
  uintptr_t base_;
  size_t& guards_left_;
  std::vector<bool> guarded_;  // By slot that has been used: an overflow hits an unmapped page.
};

class StackBanks {
 public:
  explicit StackBanks(uintptr_t base);
  StackBank& next() { return *banks_[next_++ % banks_.size()]; }
  bool is_guard(uintptr_t address) const;

 private:
  size_t guards_left_;
  std::vector<std::unique_ptr<StackBank>> banks_;
  size_t next_ = 0;
};

}  // namespace cuco::vcluster
