#include "vcluster/runtime/engine/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace cuco::vcluster {
namespace {

constexpr uintptr_t kBase = uintptr_t{1} << 42;

struct Scene {
  Fiber main;
  Fiber* first = nullptr;
  Fiber* second = nullptr;
  std::string trace;
};

TEST(Fiber, TakesTurnsAndKeepsItsLocals) {
  FiberPool pool(kBase, 64 << 10, 4);
  Scene scene;
  auto body = [](void* argument) {
    auto& s = *static_cast<Scene*>(argument);
    for (int turn = 0;; turn++) {
      s.trace += static_cast<char>('a' + turn);
      switch_fiber(*s.first, s.main);
    }
  };
  scene.first = pool.take(body, &scene);
  for (int i = 0; i < 3; i++) switch_fiber(scene.main, *scene.first);
  EXPECT_EQ(scene.trace, "abc");
}

TEST(Fiber, KeepsExceptionsApart) {
  FiberPool pool(kBase + (1ull << 40), 1 << 20, 4);
  Scene scene;
  auto thrower = [](void* argument) {
    auto& s = *static_cast<Scene*>(argument);
    try {
      throw std::runtime_error("mine");
    } catch (const std::exception& error) {
      switch_host_fiber(*s.first, s.main);
      s.trace += error.what();
      s.trace += std::uncaught_exceptions() == 0 ? "!" : "?";
    }
    switch_host_fiber(*s.first, s.main);
  };
  scene.first = pool.take(thrower, &scene);
  switch_host_fiber(scene.main, *scene.first);
  EXPECT_EQ(std::current_exception(), nullptr);
  switch_host_fiber(scene.main, *scene.first);
  EXPECT_EQ(scene.trace, "mine!");
}

TEST(FiberPool, ReusesStacks) {
  FiberPool pool(kBase + (2ull << 40), 64 << 10, 2);
  Fiber* fiber = pool.take([](void*) {}, nullptr);
  pool.give_back(fiber);
  EXPECT_EQ(pool.take([](void*) {}, nullptr), fiber);
  EXPECT_EQ(pool.made_count(), 1u);
}

TEST(FiberPool, KnowsThePagesThatGuardItsStacks) {
  FiberPool pool(kBase + (3ull << 40), 64 << 10, 2);
  Fiber* fiber = pool.take([](void*) {}, nullptr);
  auto low = reinterpret_cast<uintptr_t>(fiber->stack_low);
  EXPECT_TRUE(pool.is_guard(low + 100));
  EXPECT_FALSE(pool.is_guard(low + 5000));
  EXPECT_FALSE(pool.is_guard(low + (64 << 10)));  // No stack has been made there.
}

}  // namespace
}  // namespace cuco::vcluster
