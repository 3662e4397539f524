#include "vcluster/runtime/stack_bank.h"

#include <gtest/gtest.h>

#include <string>

namespace cuco::vcluster {
namespace {

// One block of one thread that counts in a local variable and gives its turn back after every step.
struct Counter {
  Fiber* main;
  BlockStacks stacks;
  Fiber* fiber = nullptr;
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
    stacks.enter();
    if (!fiber) fiber = stacks.take(body, this);
    switch_fiber(*main, *fiber);
  }
};

TEST(StackBank, KeepsTheStacksOfBlocksThatTakeTurnsOnIt) {
  StackBanks banks(uintptr_t{3} << 43);
  Fiber main;
  StackBank& bank = banks.next();
  Counter first{&main, {}, nullptr, 0}, second{&main, {}, nullptr, 0};
  first.stacks.begin(bank);
  second.stacks.begin(bank);
  for (int turn = 1; turn <= 3; turn++) {
    first.step();
    second.step();
    EXPECT_EQ(first.seen, turn);
    EXPECT_EQ(second.seen, turn);
  }
  EXPECT_EQ(first.fiber->stack_low, second.fiber->stack_low);
}

TEST(StackBank, GuardsTheLowEndOfUsedStacks) {
  StackBanks banks((uintptr_t{3} << 43) + (uintptr_t{1} << 40));
  BlockStacks stacks;
  stacks.begin(banks.next());
  stacks.enter();
  Fiber* fiber = stacks.take([](void*) {}, nullptr);
  auto low = reinterpret_cast<uintptr_t>(fiber->stack_low);
  EXPECT_TRUE(banks.is_guard(low + 8));
  EXPECT_FALSE(banks.is_guard(low + 4096));
}

TEST(StackBank, StacksWithoutAGuardShowThatTheyOverran) {
  size_t guards_left = 0;
  constexpr uintptr_t kBase = (uintptr_t{3} << 43) + (uintptr_t{1} << 41);
  StackBanks mapped(kBase);
  StackBank bank(kBase, guards_left);
  BlockStacks stacks;
  stacks.begin(bank);
  stacks.enter();
  Fiber* first = stacks.take([](void*) {}, nullptr);
  Fiber* second = stacks.take([](void*) {}, nullptr);
  EXPECT_TRUE(bank.is_guard(reinterpret_cast<uintptr_t>(first->stack_low)));
  EXPECT_FALSE(bank.is_guard(reinterpret_cast<uintptr_t>(second->stack_low)));
  EXPECT_FALSE(stacks.overran());
  *second->stack_low = 'x';
  EXPECT_TRUE(stacks.overran());
}

}  // namespace
}  // namespace cuco::vcluster
