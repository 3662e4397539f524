#include "vcluster/runtime/engine/stack_bank.h"

#include <sys/mman.h>

#include <cstring>

#include "base/assert.h"

namespace cuco::vcluster {

namespace {

// Enough that the blocks of small programs never share one; each may hold some 8 MiB of touched pages.
constexpr size_t kBanks = 64;
constexpr size_t kPageBytes = 4096;
constexpr size_t kBankBytes = StackBank::kStacks * StackBank::kStackBytes;

// The live part of a suspended fiber's stack.
size_t live_bytes(const Fiber& fiber) {
  return static_cast<size_t>(fiber.stack_top - static_cast<char*>(fiber.stack_pointer));
}

}  // namespace

StackBank::StackBank(uintptr_t base, size_t& guards_left)
    : base_(base), guards_left_(guards_left), occupants_(kStacks) {}

void StackBank::place(BankFiber& fiber) {
  CUCO_ASSERT(fiber.slot < kStacks && fiber.slot <= guarded_.size());
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
  if (fiber.slot == guarded_.size()) guard_next(fiber.stack_low);
  fiber.has_canary = !guarded_[fiber.slot];
  if (fiber.has_canary) set_canary(fiber);
}

void StackBank::guard_next(char* stack_low) {
  bool guarded = guarded_.empty() || guards_left_ > 0;
  guarded_.push_back(guarded);
  if (guarded) mprotect(stack_low, kPageBytes, PROT_NONE);
  if (guarded && guards_left_ > 0) guards_left_--;
}

void StackBank::forget(BankFiber& fiber) {
  if (occupants_[fiber.slot] == &fiber) occupants_[fiber.slot] = nullptr;
  fiber.in_place = false;
}

bool StackBank::is_guard(uintptr_t address) const {
  if (address < base_ || address >= base_ + guarded_.size() * kStackBytes) return false;
  return guarded_[(address - base_) / kStackBytes] && (address - base_) % kStackBytes < kPageBytes;
}

StackBanks::StackBanks(uintptr_t base, size_t guards_max) : guards_left_(guards_max) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, kBanks * kBankBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
  madvise(wanted, kBanks * kBankBytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kBanks; i++)
    banks_.push_back(std::make_unique<StackBank>(base + i * kBankBytes, guards_left_));
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

bool BlockStacks::overran() const {
  for (size_t slot = 0; slot < used_; slot++)
    if (fibers_[slot]->in_place && FiberPool::overran(*fibers_[slot])) return true;
  return false;
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
