#include "vcluster/runtime/stack_bank.h"

#include <sys/mman.h>

#include <cstring>

#include "base/assert.h"

namespace cuco::vcluster {

namespace {

// Enough that the blocks of small programs never share one; each may hold some 8 MiB of touched pages.
constexpr size_t kBanks = 64;
constexpr size_t kPageBytes = 4096;
// A guard costs the kernel two mappings, of which a process may have 65,530. Stacks beyond have a word at their low end
// instead; the lowest of each bank always has a guard, so that endless recursion runs into one.
constexpr size_t kGuardsMax = 16 * 1024;
constexpr size_t kBankBytes = StackBank::kStacks * StackBank::kStackBytes;

// The live part of a suspended fiber's stack.
size_t live_bytes(const Fiber& fiber) {
  return static_cast<size_t>(fiber.stack_top - static_cast<char*>(fiber.stack_pointer));
}

}  // namespace

StackBank::StackBank(uintptr_t base, size_t& guards_left) : base_(base), guards_left_(guards_left) {}

void StackBank::place(Fiber& fiber, size_t slot) {
  CUCO_ASSERT(slot < kStacks && slot <= guarded_.size());
  fiber.stack_low = reinterpret_cast<char*>(base_ + slot * kStackBytes);
  fiber.stack_bytes = kStackBytes;
  if (slot == guarded_.size()) {
    guarded_.push_back(slot == 0 || guards_left_ > 0);
    if (guarded_[slot]) mprotect(fiber.stack_low, kPageBytes, PROT_NONE);
    if (guarded_[slot] && guards_left_ > 0) guards_left_--;
  }
  fiber.has_canary = !guarded_[slot];
  if (fiber.has_canary) set_canary(fiber);
}

bool StackBank::is_guard(uintptr_t address) const {
  if (address < base_ || address >= base_ + guarded_.size() * kStackBytes) return false;
  return guarded_[(address - base_) / kStackBytes] && (address - base_) % kStackBytes < kPageBytes;
}

StackBanks::StackBanks(uintptr_t base) : guards_left_(kGuardsMax) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, kBanks * kBankBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
  madvise(wanted, kBanks * kBankBytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kBanks; i++)
    banks_.push_back(std::make_unique<StackBank>(base + i * kBankBytes, guards_left_));
}

bool StackBanks::is_guard(uintptr_t address) const {
  for (const std::unique_ptr<StackBank>& bank : banks_)
    if (bank->is_guard(address)) return true;
  return false;
}

void BlockStacks::begin(StackBank& bank) {
  bank_ = &bank;
  used_ = 0;
  free_.clear();
  parked_.clear();
}

void BlockStacks::enter() {
  if (bank_->occupant == this) return;
  if (bank_->occupant) bank_->occupant->copy_out();
  bank_->occupant = this;
  copy_in();
}

void BlockStacks::end() {
  if (bank_->occupant == this) bank_->occupant = nullptr;
}

bool BlockStacks::overran() const {
  for (size_t slot = 0; slot < used_; slot++)
    if (FiberPool::overran(*fibers_[slot])) return true;
  return false;
}

// Fibers given back keep whatever bytes they had: nothing reads them before take() writes anew.
void BlockStacks::copy_out() {
  parked_.clear();
  for (size_t slot = 0; slot < used_; slot++) {
    const char* live = static_cast<const char*>(fibers_[slot]->stack_pointer);
    parked_.insert(parked_.end(), live, live + live_bytes(*fibers_[slot]));
  }
}

void BlockStacks::copy_in() {
  const char* from = parked_.data();
  for (size_t slot = 0; !parked_.empty() && slot < used_; slot++) {
    size_t bytes = live_bytes(*fibers_[slot]);
    std::memcpy(fibers_[slot]->stack_pointer, from, bytes);
    from += bytes;
  }
}

Fiber* BlockStacks::take(void (*entry)(void*), void* argument) {
  Fiber* fiber;
  if (!free_.empty()) {
    fiber = free_.back();
    free_.pop_back();
  } else {
    if (used_ == fibers_.size()) fibers_.push_back(std::make_unique<Fiber>());
    fiber = fibers_[used_].get();
    bank_->place(*fiber, used_++);
  }
  prepare_fiber(*fiber, entry, argument);
  return fiber;
}

}  // namespace cuco::vcluster
