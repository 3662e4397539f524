#include "vcluster/runtime/gpu/filled_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

namespace cuco::vcluster {
namespace {

constexpr size_t kRange = 5 * FilledPages::kBytes / 2;

class Filled : public ::testing::Test {
 protected:
  Filled() {
    memory = static_cast<unsigned char*>(
        mmap(nullptr, kRange, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  ~Filled() override { munmap(memory, kRange); }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory); }

  FilledPages pages{0xa5};
  unsigned char* memory;
};

size_t resident_bytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(Filled, FillsARangeThatIsNoMultipleOfItsPages) {
  ASSERT_TRUE(pages.map_over(begin(), kRange));
  for (size_t at : {size_t{0}, FilledPages::kBytes - 1, FilledPages::kBytes, kRange - 1})
    EXPECT_EQ(memory[at], 0xa5) << at;
}

TEST_F(Filled, WhatIsWrittenShowsInOnePlaceOnly) {
  ASSERT_TRUE(pages.map_over(begin(), kRange));
  memory[100] = 7;
  EXPECT_EQ(memory[100], 7);
  EXPECT_EQ(memory[FilledPages::kBytes + 100], 0xa5);
  ASSERT_TRUE(pages.map_over(begin(), kRange));
  EXPECT_EQ(memory[100], 0xa5);
}

TEST_F(Filled, TakesNoRoomUntilItIsTouched) {
  ASSERT_TRUE(pages.map_over(begin(), kRange));
  size_t before = resident_bytes();
  ASSERT_TRUE(pages.map_over(begin(), kRange));
  EXPECT_LT(resident_bytes(), before + FilledPages::kBytes / 4);
}

TEST_F(Filled, LeavesSmallRangesAlone) {
  memory[5] = 3;
  EXPECT_FALSE(pages.map_over(begin(), FilledPages::kBytes - 4096));
  EXPECT_EQ(memory[5], 3);
}

}  // namespace
}  // namespace cuco::vcluster
