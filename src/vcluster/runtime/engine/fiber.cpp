#include "vcluster/runtime/engine/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <cstring>

#include "base/assert.h"

extern "C" void cuco_switch_stacks(void** save_to, void* resume_from);
extern "C" void cuco_fiber_start();

asm(R"(
.text
.globl cuco_switch_stacks
.type cuco_switch_stacks, @function
cuco_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuco_switch_stacks, .-cuco_switch_stacks

.globl cuco_fiber_start
.type cuco_fiber_start, @function
cuco_fiber_start:
  movq %r12, %rdi
  xorl %ebp, %ebp
  callq *%r13
  ud2
.size cuco_fiber_start, .-cuco_fiber_start
)");

namespace cuco::vcluster {

namespace {

constexpr uint64_t kCanary = 0x5ca1ab1e0ddba11u;
constexpr size_t kPageBytes = 4096;
constexpr size_t kGuardedStacks = 10'000;
// Tops of neighbouring stacks fall on different cache sets; without it a switch among 1,024 fibers takes three times
// as long.
constexpr size_t kColours = 32;
constexpr size_t kColourBytes = 128;

}  // namespace

void switch_fiber(Fiber& from, Fiber& to) { cuco_switch_stacks(&from.stack_pointer, to.stack_pointer); }

void switch_host_fiber(Fiber& from, Fiber& to) {
  void* globals = abi::__cxa_get_globals();
  std::memcpy(from.exception_globals, globals, sizeof from.exception_globals);
  std::memcpy(globals, to.exception_globals, sizeof to.exception_globals);
  cuco_switch_stacks(&from.stack_pointer, to.stack_pointer);
}

void prepare_fiber(Fiber& fiber, void (*entry)(void*), void* argument) {
  size_t colour = reinterpret_cast<uintptr_t>(fiber.stack_low) / fiber.stack_bytes % kColours;
  char* top = fiber.stack_low + fiber.stack_bytes - colour * kColourBytes;
  // What cuco_switch_stacks pops: r15, r14, r13 = entry, r12 = argument, rbx, rbp, return address. The two words
  // above keep the stack aligned for the call that cuco_fiber_start makes.
  void* frame[9] = {nullptr,
                    nullptr,
                    reinterpret_cast<void*>(entry),
                    argument,
                    nullptr,
                    nullptr,
                    reinterpret_cast<void*>(&cuco_fiber_start),
                    nullptr,
                    nullptr};
  fiber.stack_top = top;
  fiber.stack_pointer = top - sizeof frame;
  std::memcpy(fiber.stack_pointer, frame, sizeof frame);
  std::memset(fiber.exception_globals, 0, sizeof fiber.exception_globals);
}

void set_canary(Fiber& fiber) { std::memcpy(fiber.stack_low, &kCanary, sizeof kCanary); }

FiberPool::FiberPool(uintptr_t base, size_t stack_bytes, size_t stack_count_max)
    : base_(base), stack_bytes_(stack_bytes), stack_count_max_(stack_count_max) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, stack_bytes * stack_count_max, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
  // Most stacks use a page or two: huge pages would make each cost its full size.
  madvise(wanted, stack_bytes * stack_count_max, MADV_NOHUGEPAGE);
}

Fiber* FiberPool::make() {
  CUCO_ASSERT(made_.size() < stack_count_max_);
  auto* fiber = new Fiber;
  fiber->stack_low = reinterpret_cast<char*>(base_ + made_.size() * stack_bytes_);
  fiber->stack_bytes = stack_bytes_;
  // The first stacks get a page that faults. Each costs the kernel two mappings, of which a process may have 65,530:
  // beyond that the word at the low end must do.
  if (made_.size() < kGuardedStacks) {
    mprotect(fiber->stack_low, kPageBytes, PROT_NONE);
  } else {
    fiber->has_canary = true;
    set_canary(*fiber);
  }
  made_.push_back(fiber);
  return fiber;
}

Fiber* FiberPool::take(void (*entry)(void*), void* argument) {
  Fiber* fiber = free_.empty() ? make() : free_.back();
  if (!free_.empty()) free_.pop_back();
  prepare_fiber(*fiber, entry, argument);
  return fiber;
}

bool FiberPool::is_guard(uintptr_t address) const {
  if (address < base_ || address >= base_ + made_.size() * stack_bytes_) return false;
  size_t index = (address - base_) / stack_bytes_;
  return index < kGuardedStacks && (address - base_) % stack_bytes_ < kPageBytes;
}

bool FiberPool::overran(const Fiber& fiber) {
  if (!fiber.has_canary) return false;
  uint64_t word;
  std::memcpy(&word, fiber.stack_low, sizeof word);
  return word != kCanary;
}

}  // namespace cuco::vcluster
