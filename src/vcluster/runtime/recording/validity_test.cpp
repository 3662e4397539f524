#include "vcluster/runtime/recording/validity.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace cuco::vcluster {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

// Memory of a device that no other test has.
class ValidityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static uintptr_t next = kDeviceBase + (uintptr_t{20} << kDeviceShift);
    begin = next;
    next += 2 * kBufferBytes;
    void* wanted = reinterpret_cast<void*>(begin);
    void* got = mmap(wanted, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(got, wanted);
  }

  float value_at(uintptr_t address) const {
    float value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }
  DrawnMemory drawn(uintptr_t from, uint64_t count) const {
    return {from, from + 4 * count, Element::Float32, uniform(1, 2), 77, 0};
  }

  uintptr_t begin = 0;
  void TearDown() override { validity.is_apart = false; }

  static Validity validity;  // State is mapped once.
};
Validity ValidityTest::validity;

TEST_F(ValidityTest, FreshMemoryIsNotValid) { EXPECT_FALSE(validity.is_valid(begin, 4)); }

TEST_F(ValidityTest, ValuesAreThoseOfAWholeRunAndDrawnWhereTheyAreRead) {
  std::vector<float> whole(1024);
  uint64_t base = 77;
  for (uint64_t i = 0; i < whole.size(); i++) whole[i] = static_cast<float>(draw(uniform(1, 2), base, i));
  validity.draw_later(drawn(begin, 1024));
  EXPECT_TRUE(validity.is_valid(begin + 400, 4));
  EXPECT_EQ(value_at(begin + 400), whole[100]);
  EXPECT_EQ(value_at(begin + 2000), 0) << "nobody has read it";
  EXPECT_TRUE(validity.is_valid(begin + 2000, 4));
  EXPECT_EQ(value_at(begin + 2000), whole[500]);
}

TEST_F(ValidityTest, WhatIsWrittenIsNotDrawnAgain) {
  validity.draw_later(drawn(begin, 64));
  float written = 5;
  std::memcpy(reinterpret_cast<void*>(begin + 8), &written, sizeof written);
  validity.write(begin + 8, 4, false);
  EXPECT_FALSE(validity.is_valid(begin + 8, 4));
  EXPECT_EQ(value_at(begin + 8), 5);
  EXPECT_TRUE(validity.is_valid(begin + 12, 4));
}

TEST_F(ValidityTest, CopiesTakeAlongWhatIsValidAndWhatIsYetToBeDrawn) {
  validity.draw_later(drawn(begin, 64));
  validity.write(begin + 16, 4, false);
  validity.write(begin + 20, 4, true);
  uintptr_t target = begin + 4096;
  validity.give(target, validity.take(begin + 8, 128));
  EXPECT_FALSE(validity.is_valid(target + 8, 4));
  EXPECT_TRUE(validity.is_valid(target + 12, 4));
  EXPECT_TRUE(validity.is_valid(target, 4));
  EXPECT_TRUE(validity.is_valid(target + 124, 4));
  EXPECT_FALSE(validity.is_valid(target + 128, 4));
  validity.provide(begin + 132, 4);
  EXPECT_EQ(value_at(target + 124), value_at(begin + 132));
}

TEST_F(ValidityTest, ElementsAcrossTheEndsOfACopyStayWhole) {
  validity.draw_later(drawn(begin, 64));
  uintptr_t target = begin + 4096;
  validity.give(target, validity.take(begin + 2, 9));
  EXPECT_TRUE(validity.is_valid(target, 9));
  EXPECT_FALSE(validity.is_valid(target + 9, 1));
  EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(target), reinterpret_cast<void*>(begin + 2), 2), 0);
  ASSERT_TRUE(validity.is_valid(begin, 12));
  EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(target), reinterpret_cast<void*>(begin + 2), 9), 0);
}

TEST_F(ValidityTest, RangesAreThoseOfValidBytes) {
  validity.write(begin + 2, 2, true);
  validity.write(begin + 4, 8, true);
  validity.write(begin + 6, 2, false);
  std::vector<Validity::Range> ranges = validity.valid_ranges(begin, 4096);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].begin, begin + 2);
  EXPECT_EQ(ranges[0].end, begin + 6);
  EXPECT_EQ(ranges[1].begin, begin + 8);
  EXPECT_EQ(ranges[1].end, begin + 12);
}

TEST_F(ValidityTest, WhatIsForgottenIsNeitherValidNorDrawn) {
  validity.draw_later(drawn(begin, 1024));
  validity.provide(begin, 4);
  validity.forget(begin, 64);
  EXPECT_FALSE(validity.is_valid(begin, 4));
  EXPECT_FALSE(validity.is_valid(begin + 60, 4));
  EXPECT_TRUE(validity.is_valid(begin + 64, 4));
}

TEST_F(ValidityTest, InACallThatIsNotComparedCopiesAreNotValid) {
  validity.draw_later(drawn(begin, 64));
  validity.is_apart = true;
  validity.give(begin + 4096, validity.take(begin, 64));
  EXPECT_FALSE(validity.is_valid(begin + 4096, 4));
}

}  // namespace
}  // namespace cuco::vcluster
