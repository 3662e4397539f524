#include "vcluster/runtime/engine/stack_bank.h"

#include <gtest/gtest.h>

#include <string>

namespace cuco::vcluster {
namespace {

// One block of one thread that counts in a local variable and gives its turn back after every step.
struct Counter {
  Fiber* main = nullptr;
  BlockStacks stacks;
  BankFiber* fiber = nullptr;
  int seen = 0;

  static void body(void* argument) {
    auto& self = *static_cast<Counter*>(argument);
    volatile int local = 0;
    for (;;) {
      local = local + 1;
      self.seen = local;
      switch_fiber(*self.fiber, *self.main);
    }
  }
  void step() {
    if (!fiber) fiber = stacks.take(body, this);
    stacks.bring(*fiber);
    switch_fiber(*main, *fiber);
  }
};

// More blocks than banks: some share one.
TEST(StackBank, KeepsTheStacksOfBlocksThatTakeTurnsOnIt) {
  StackBanks banks(uintptr_t{3} << 43);
  Fiber main;
  std::vector<Counter> counters(80);
  for (Counter& counter : counters) {
    counter.main = &main;
    counter.stacks.begin(banks);
  }
  for (int turn = 1; turn <= 3; turn++)
    for (Counter& counter : counters) {
      counter.step();
      EXPECT_EQ(counter.seen, turn);
    }
  EXPECT_EQ(counters[0].fiber->stack_low, counters[64].fiber->stack_low);
}

TEST(StackBank, IsTakenAgainByTheNextBlock) {
  StackBanks banks((uintptr_t{3} << 43) + (uintptr_t{2} << 40));
  BlockStacks first, second;
  first.begin(banks);
  const char* low = first.take([](void*) {}, nullptr)->stack_low;
  first.end();
  second.begin(banks);
  EXPECT_EQ(second.take([](void*) {}, nullptr)->stack_low, low);
}

TEST(StackBank, GuardsTheLowEndOfUsedStacks) {
  StackBanks banks((uintptr_t{3} << 43) + (uintptr_t{1} << 40));
  BlockStacks stacks;
  stacks.begin(banks);
  Fiber* fiber = stacks.take([](void*) {}, nullptr);
  auto low = reinterpret_cast<uintptr_t>(fiber->stack_low);
  EXPECT_TRUE(banks.is_guard(low + 8));
  EXPECT_FALSE(banks.is_guard(low + 4096));
}

TEST(StackBank, StacksWithoutAGuardShowThatTheyOverran) {
  StackBanks banks((uintptr_t{3} << 43) + (uintptr_t{3} << 40), 0);
  BlockStacks stacks;
  stacks.begin(banks);
  Fiber* first = stacks.take([](void*) {}, nullptr);
  Fiber* second = stacks.take([](void*) {}, nullptr);
  EXPECT_TRUE(banks.is_guard(reinterpret_cast<uintptr_t>(first->stack_low)));
  EXPECT_FALSE(banks.is_guard(reinterpret_cast<uintptr_t>(second->stack_low)));
  EXPECT_FALSE(stacks.overran());
  *second->stack_low = 'x';
  EXPECT_TRUE(stacks.overran());
}

}  // namespace
}  // namespace cuco::vcluster
