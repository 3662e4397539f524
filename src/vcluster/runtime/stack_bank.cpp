#include "vcluster/runtime/stack_bank.h"

#include <sys/mman.h>

#include <cstring>

#include "base/assert.h"

namespace cuco::vcluster {

namespace {

// Enough that the blocks of small programs never share one; each may hold some 8 MiB of touched pages.
constexpr size_t kBanks = 64;
constexpr size_t kPageBytes = 4096;
// A guard costs the kernel two mappings, of which a process may have 65,530: the first banks have them.
constexpr size_t kGuardedBanks = 16;
constexpr size_t kBankBytes = StackBank::kStacks * StackBank::kStackBytes;

// The live part of a suspended fiber's stack.
size_t live_bytes(const Fiber& fiber) {
  return static_cast<size_t>(fiber.stack_top - static_cast<char*>(fiber.stack_pointer));
}

}  // namespace

StackBank::StackBank(uintptr_t base, bool guarded) : base_(base), guarded_(guarded), occupants_(kStacks) {}

void StackBank::place(BankFiber& fiber) {
  CUCO_ASSERT(fiber.slot < kStacks);
  BankFiber*& occupant = occupants_[fiber.slot];
  if (occupant && occupant != &fiber) {
    const char* live = static_cast<const char*>(occupant->stack_pointer);
    occupant->parked.assign(live, live + live_bytes(*occupant));
    occupant->in_place = false;
  }
  occupant = &fiber;
  fiber.in_place = true;
  fiber.stack_low = reinterpret_cast<char*>(base_ + fiber.slot * kStackBytes);
  fiber.stack_bytes = kStackBytes;
  if (fiber.slot < prepared_) return;
  prepared_ = fiber.slot + 1;
  if (guarded_) mprotect(fiber.stack_low, kPageBytes, PROT_NONE);
}

void StackBank::forget(BankFiber& fiber) {
  if (occupants_[fiber.slot] == &fiber) occupants_[fiber.slot] = nullptr;
  fiber.in_place = false;
}

bool StackBank::is_guard(uintptr_t address) const {
  return guarded_ && address >= base_ && address < base_ + prepared_ * kStackBytes &&
         (address - base_) % kStackBytes < kPageBytes;
}

StackBanks::StackBanks(uintptr_t base) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, kBanks * kBankBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
  madvise(wanted, kBanks * kBankBytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kBanks; i++)
    banks_.push_back(std::make_unique<StackBank>(base + i * kBankBytes, i < kGuardedBanks));
  for (size_t i = kBanks; i > 0; i--) free_.push_back(banks_[i - 1].get());
}

StackBank& StackBanks::take() {
  StackBank* bank = free_.empty() ? banks_[next_++ % banks_.size()].get() : free_.back();
  if (!free_.empty()) free_.pop_back();
  bank->users++;
  return *bank;
}

void StackBanks::give_back(StackBank& bank) {
  if (--bank.users == 0) free_.push_back(&bank);
}

bool StackBanks::is_guard(uintptr_t address) const {
  for (const std::unique_ptr<StackBank>& bank : banks_)
    if (bank->is_guard(address)) return true;
  return false;
}

void BlockStacks::begin(StackBanks& banks) {
  banks_ = &banks;
  bank_ = nullptr;
  used_ = 0;
  free_.clear();
}

void BlockStacks::end() {
  if (!bank_) return;
  for (size_t slot = 0; slot < used_; slot++) bank_->forget(*fibers_[slot]);
  banks_->give_back(*bank_);
  bank_ = nullptr;
}

// A fiber that was given back had no live bytes worth keeping: take() writes its stack anew.
void BlockStacks::copy_in(BankFiber& fiber) {
  bank_->place(fiber);
  std::memcpy(fiber.stack_pointer, fiber.parked.data(), fiber.parked.size());
}

BankFiber* BlockStacks::take(void (*entry)(void*), void* argument) {
  if (!bank_) bank_ = &banks_->take();
  BankFiber* fiber;
  if (!free_.empty()) {
    fiber = free_.back();
    free_.pop_back();
  } else {
    if (used_ == fibers_.size()) fibers_.push_back(std::make_unique<BankFiber>());
    fiber = fibers_[used_].get();
    fiber->slot = static_cast<uint32_t>(used_++);
  }
  if (!fiber->in_place) bank_->place(*fiber);
  prepare_fiber(*fiber, entry, argument);
  return fiber;
}

}  // namespace cuco::vcluster
