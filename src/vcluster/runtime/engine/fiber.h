// Fibers: stacks that take turns on one OS thread. A switch saves the six registers the ABI asks a callee to keep and
// the stack pointer; nothing else, since everything runs in one thread with one signal mask.
// Stacks are carved from one reserved address range, so addresses repeat from run to run, and are reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuco::vcluster {

struct Fiber {
  void* stack_pointer = nullptr;
  char* stack_low = nullptr;  // Null for the scheduler, which runs on the OS thread's own stack.
  size_t stack_bytes = 0;
  char* stack_top = nullptr;        // Where the stack begins to grow down from.
  char* program_top = nullptr;      // Above it are the runner's own frames.
  bool has_canary = false;          // A word at the low end instead of a page that faults.
  void* exception_globals[2] = {};  // Of the C++ runtime, which keeps them per OS thread.
};

// Suspends `from`, resumes `to`. Returns when something switches back to `from`.
void switch_fiber(Fiber& from, Fiber& to);

// As above for fibers that run host code: exceptions may be in flight on either side.
void switch_host_fiber(Fiber& from, Fiber& to);

// Makes the fiber, which has a stack, run entry(argument) at its next turn. entry must not return.
void prepare_fiber(Fiber& fiber, void (*entry)(void*), void* argument);

// Writes the word at the low end of a stack that has no page that faults.
void set_canary(Fiber& fiber);

class FiberPool {
 public:
  // `base` is where the range of stacks begins.
  FiberPool(uintptr_t base, size_t stack_bytes, size_t stack_count_max);

  // A fiber that runs entry(argument) at its first turn. entry must not return.
  Fiber* take(void (*entry)(void*), void* argument);
  void give_back(Fiber* fiber) { free_.push_back(fiber); }
  size_t made_count() const { return made_.size(); }
  bool is_exhausted() const { return free_.empty() && made_.size() == stack_count_max_; }

  // Whether the address lies in the unmapped page below some stack of this pool.
  bool is_guard(uintptr_t address) const;

  // A stack without a guard page that ran over its end has overwritten its lowest word.
  static bool overran(const Fiber& fiber);

 private:
  Fiber* make();

  uintptr_t base_;
  size_t stack_bytes_;
  size_t stack_count_max_;
  std::vector<Fiber*> made_;
  std::vector<Fiber*> free_;
};

}  // namespace cuco::vcluster
