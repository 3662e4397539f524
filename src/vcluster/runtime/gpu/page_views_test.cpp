#include "vcluster/runtime/gpu/page_views.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace cuco::vcluster {
namespace {

constexpr size_t kPageBytes = 4096, kBytes = 16 * kPageBytes;

class Views : public ::testing::Test {
 protected:
  Views() {
    memory = static_cast<char*>(
        mmap(nullptr, 3 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (size_t i = 0; i < kBytes; i++) memory[i] = static_cast<char>(i % 251);
  }
  ~Views() override { munmap(memory, 3 * kBytes); }

  char* buffer(size_t number) const { return memory + number * kBytes; }
  uintptr_t address(size_t number) const { return reinterpret_cast<uintptr_t>(buffer(number)); }
  bool share(size_t target, size_t source) { return views.share(address(target), address(source), kBytes); }
  bool has_pattern(size_t number) const {
    for (size_t i = 0; i < kBytes; i++)
      if (buffer(number)[i] != static_cast<char>(i % 251)) return false;
    return true;
  }

  PageViews views;
  char* memory;
};

TEST_F(Views, TargetHoldsWhatSourceHeld) {
  ASSERT_TRUE(share(1, 0));
  EXPECT_TRUE(has_pattern(0));
  EXPECT_TRUE(has_pattern(1));
}

TEST_F(Views, CopiesOfCopiesTakeNoFurtherPages) {
  ASSERT_TRUE(share(1, 0) && share(2, 1) && share(1, 0));
  EXPECT_TRUE(has_pattern(2));
  EXPECT_EQ(views.stored_bytes(), kBytes);
}

TEST_F(Views, ClearedPagesHoldZerosAndTakeNothing) {
  EXPECT_FALSE(views.is_untouched(address(0), kBytes));
  ASSERT_TRUE(views.clear(address(0), kBytes));
  EXPECT_TRUE(views.is_untouched(address(0) + 100, kBytes - 100));
  EXPECT_EQ(views.stored_bytes(), 0u);
  for (size_t i = 0; i < kBytes; i++) ASSERT_EQ(buffer(0)[i], 0);
  buffer(0)[3 * kPageBytes] = 'x';
  EXPECT_FALSE(views.is_untouched(address(0), kBytes));
  EXPECT_TRUE(views.is_untouched(address(0), 3 * kPageBytes));
}

// What was there before anybody's first write is known of heaps alone: a device's memory is filled.
TEST_F(Views, PagesThatAreNoViewAreNotTakenForZeros) { EXPECT_FALSE(views.is_untouched(address(2), kBytes)); }

TEST_F(Views, WhatIsWrittenAfterwardsIsOnesOwn) {
  ASSERT_TRUE(share(1, 0));
  buffer(0)[5 * kPageBytes] = 'x';
  EXPECT_TRUE(has_pattern(1));
  buffer(1)[kBytes - 1] = 'y';
  EXPECT_EQ(buffer(0)[kBytes - 1], static_cast<char>((kBytes - 1) % 251));
}

TEST_F(Views, SourceThatWasWrittenSinceIsStoredAnew) {
  ASSERT_TRUE(share(1, 0));
  buffer(0)[5 * kPageBytes] = 'x';
  ASSERT_TRUE(share(2, 0));
  EXPECT_EQ(buffer(2)[5 * kPageBytes], 'x');
  EXPECT_TRUE(has_pattern(1));
  EXPECT_EQ(views.stored_bytes(), 2 * kBytes);
}

TEST_F(Views, PagesThatNobodyViewsAreGivenBack) {
  ASSERT_TRUE(share(1, 0));
  views.forget(address(0), kBytes);
  EXPECT_EQ(buffer(0)[100], 0);
  EXPECT_TRUE(has_pattern(1));
  EXPECT_EQ(views.stored_bytes(), kBytes);
  views.forget(address(1), kBytes);
  EXPECT_EQ(views.stored_bytes(), 0u);
}

TEST_F(Views, PartOfAViewCanBeSharedAndOverwritten) {
  ASSERT_TRUE(share(1, 0));
  ASSERT_TRUE(views.share(address(2), address(1) + 4 * kPageBytes, 8 * kPageBytes));
  EXPECT_EQ(std::memcmp(buffer(2), buffer(0) + 4 * kPageBytes, 8 * kPageBytes), 0);
  buffer(2)[8 * kPageBytes] = 1;
  ASSERT_TRUE(views.share(address(1) + kPageBytes, address(2) + 8 * kPageBytes, 2 * kPageBytes));
  EXPECT_EQ(buffer(1)[kPageBytes], 1);
  EXPECT_EQ(std::memcmp(buffer(1) + 3 * kPageBytes, buffer(0) + 3 * kPageBytes, 13 * kPageBytes), 0);
  EXPECT_EQ(std::memcmp(buffer(1), buffer(0), kPageBytes), 0);
}

TEST_F(Views, ForgettingWhatIsNoViewLeavesItAlone) {
  ASSERT_TRUE(share(1, 0));
  std::strcpy(buffer(2), "abc");
  views.forget(address(2), kBytes);
  EXPECT_STREQ(buffer(2), "abc");
}

}  // namespace
}  // namespace cuco::vcluster
