// Stacks for the threads of blocks. A bank holds one block's stacks, and only what runs needs its stack in place, so
// blocks take turns on a bank: the live bytes of a stack are copied out when another block's thread runs in its place,
// and back to the same addresses before its own thread runs again. A suspended thread then costs its few hundred live
// bytes and not its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vcluster/runtime/engine/fiber.h"

namespace cuco::vcluster {

class StackBank;
class StackBanks;

struct BankFiber : Fiber {
  uint32_t slot = 0;
  bool in_place = false;
  std::vector<char> parked;  // The live bytes while not in place.
};

// The stacks that one block uses, in whatever bank it was given.
class BlockStacks {
 public:
  // For a block that starts. Its earlier stacks, if any, are forgotten. It gets its bank when its first thread runs.
  void begin(StackBanks& banks);
  void end();  // The block has finished.

  BankFiber* take(void (*entry)(void*), void* argument);
  void give_back(BankFiber* fiber) { free_.push_back(fiber); }
  // Whether some thread has used more stack than it has, where no page stopped it.
  bool overran() const;
  // Before a switch to the fiber: its stack is where it was.
  void bring(BankFiber& fiber) {
    if (!fiber.in_place) copy_in(fiber);
  }

 private:
  void copy_in(BankFiber& fiber);

  StackBanks* banks_ = nullptr;
  StackBank* bank_ = nullptr;
  std::vector<std::unique_ptr<BankFiber>> fibers_;  // By slot.
  size_t used_ = 0;                                 // Slots in use; those above are of an earlier block.
  std::vector<BankFiber*> free_;
};

class StackBank {
 public:
  static constexpr size_t kStacks = 1024;  // The most threads a block can have.
  static constexpr size_t kStackBytes = 64u << 10;

  // `guards_left` is how many stacks of all banks may still get an unmapped page at their low end.
  StackBank(uintptr_t base, size_t& guards_left);

  // Gives the fiber the stack of its slot and copies out whoever has it.
  void place(BankFiber& fiber);
  // The stack of this fiber is not needed any more.
  void forget(BankFiber& fiber);
  bool is_guard(uintptr_t address) const;

  size_t users = 0;  // Blocks that were given it.

 private:
  void guard_next(char* stack_low);  // Of the first slot that was never used.

  uintptr_t base_;
  size_t& guards_left_;
  std::vector<bool> guarded_;          // By slot that has been used: an overflow hits an unmapped page.
  std::vector<BankFiber*> occupants_;  // By slot; null: nobody.
};

class StackBanks {
 public:
  // A guard costs the kernel two mappings, of which a process may have 65,530. Stacks beyond have a word at their low
  // end instead; the lowest of each bank always has a guard, so that endless recursion runs into one.
  static constexpr size_t kGuardsMax = 16 * 1024;

  explicit StackBanks(uintptr_t base, size_t guards_max = kGuardsMax);
  // The bank that was given back last, whose pages are warm; when all are in use, each in turn.
  StackBank& take();
  void give_back(StackBank& bank);
  bool is_guard(uintptr_t address) const;

 private:
  size_t guards_left_;
  std::vector<std::unique_ptr<StackBank>> banks_;
  std::vector<StackBank*> free_;
  size_t next_ = 0;
};

}  // namespace cuco::vcluster
