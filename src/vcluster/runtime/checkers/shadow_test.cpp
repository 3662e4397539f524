#include "vcluster/runtime/checkers/shadow.h"

#include <gtest/gtest.h>

#include "vcluster/runtime/checkers/op_clock.h"

namespace cuco::vcluster {
namespace {

// The shadow lies at fixed addresses, so all tests share one; each has a device of its own.
uintptr_t memory_of(int device) { return kDeviceBase + (static_cast<uintptr_t>(device) << kDeviceShift) + 4096; }

TEST(Shadow, FreshMemoryIsAllowedAndNotWritten) {
  uintptr_t memory = memory_of(0);
  shadow().allow(memory, 10);
  EXPECT_EQ(shadow().first_without(ShadowBit::Allowed, memory, 10), 0u);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory, 10), memory);
}

TEST(Shadow, TheByteAfterTheEndIsNotAllowed) {
  uintptr_t memory = memory_of(1);
  shadow().allow(memory, 10);
  shadow().allow(memory + 64, 1);
  EXPECT_EQ(shadow().first_without(ShadowBit::Allowed, memory + 8, 4), memory + 10);
}

TEST(Shadow, AddressesNeverAllocatedAreNotCovered) {
  uintptr_t memory = memory_of(2);
  shadow().allow(memory, 16);
  EXPECT_TRUE(shadow().covers(memory, 16));
  EXPECT_FALSE(shadow().covers(memory, 17));
  EXPECT_FALSE(shadow().covers(memory_of(3), 1));
}

TEST(Shadow, WritesOfSingleBytesAreKeptApart) {
  uintptr_t memory = memory_of(4) + 3;
  shadow().allow(memory, 9);
  shadow().set_written(memory + 1, 3);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory + 1, 3), 0u);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory + 1, 4), memory + 4);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory, 2), memory);
}

TEST(Shadow, FreedMemoryIsNeitherAllowedNorWritten) {
  uintptr_t memory = memory_of(5);
  shadow().allow(memory, 32);
  shadow().set_written(memory, 32);
  shadow().forbid(memory, 32);
  EXPECT_EQ(shadow().first_without(ShadowBit::Allowed, memory, 32), memory);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory, 32), memory);
}

// Such ranges share the pages of their shadow until something is written.
TEST(Shadow, LargeMemoryIsAllowedWrittenAndFreedAsSmallIs) {
  constexpr size_t kBytes = (size_t{200} << 20) + 12;
  uintptr_t begin = memory_of(30) + 4;
  shadow().allow(begin, kBytes);
  EXPECT_EQ(shadow().first_without(ShadowBit::Allowed, begin, kBytes), 0u);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, begin, kBytes), begin);
  shadow().set_written(begin, kBytes / 2);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, begin, kBytes), begin + kBytes / 2);
  shadow().release(begin, kBytes);
  for (uintptr_t at : {begin, begin + kBytes / 2, begin + kBytes - 1})
    EXPECT_EQ(shadow().first_without(ShadowBit::Allowed, at, 1), at);
}

TEST(Shadow, ACopyTakesTheStateOfEachByteWithIt) {
  uintptr_t source = memory_of(6), target = memory_of(6) + 101;
  shadow().allow(source, 7);
  shadow().allow(target, 7);
  shadow().set_written(source + 2, 4);
  shadow().put_written(target, shadow().written(source, 7));
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target + 2, 4), 0u);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target, 7), target);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target + 5, 2), target + 6);
}

// Ranges longer than a word of shadow, at every alignment: whole words must not hide a single byte.
TEST(Shadow, OneByteOfALongRangeIsFound) {
  uintptr_t memory = memory_of(7);
  shadow().allow(memory, 512);
  shadow().set_written(memory, 512);
  for (uintptr_t missing : {0u, 1u, 33u, 130u, 255u}) {
    shadow().put_written(memory + 100 + missing, WrittenFlags(1, false));
    for (uintptr_t begin = memory + 90; begin < memory + 100; begin++)
      EXPECT_EQ(shadow().first_without(ShadowBit::Written, begin, 300), memory + 100 + missing);
    shadow().set_written(memory + 100 + missing, 1);
  }
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, memory + 1, 500), 0u);
}

TEST(Shadow, RangesOfOneStateTravelWhole) {
  uintptr_t source = memory_of(8) + 5, target = memory_of(8) + 1026;
  shadow().allow(source, 300);
  shadow().allow(target - 2, 304);
  shadow().set_written(target - 2, 304);
  EXPECT_TRUE(shadow().written(source, 300).are_alike());
  shadow().put_written(target, shadow().written(source, 300));
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target - 2, 304), target);
  for (size_t i = 0; i < 300; i++) EXPECT_FALSE(shadow().written(target, 300)[i]);
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target + 300, 2), 0u);
  shadow().set_written(source, 300);
  shadow().put_written(target, shadow().written(source, 300));
  EXPECT_EQ(shadow().first_without(ShadowBit::Written, target - 2, 304), 0u);
}

TEST(WrittenFlags, JoinAndMeetByteForByte) {
  WrittenFlags mixed(std::vector<bool>{true, false, true});
  WrittenFlags flags(2);
  flags.append(WrittenFlags(1, false));
  EXPECT_TRUE(flags[0] && flags[1] && !flags[2]);
  flags.intersect(mixed);
  EXPECT_TRUE(flags[0] && !flags[1] && !flags[2]);
  mixed.intersect(WrittenFlags(3));
  EXPECT_TRUE(mixed[0] && !mixed[1] && mixed[2]);
  mixed.intersect(WrittenFlags(3, false));
  EXPECT_FALSE(mixed.any());
  WrittenFlags none(3, false);
  none.intersect(WrittenFlags(std::vector<bool>{true, true, true}));
  EXPECT_FALSE(none.any());
}

TEST(OpClock, KnowsAllOperationsBeforeTheOneWaitedFor) {
  const auto* one = reinterpret_cast<const Stream*>(1);
  const auto* other = reinterpret_cast<const Stream*>(2);
  OpClock clock;
  clock.add({one, 3});
  EXPECT_TRUE(clock.knows({one, 2}));
  EXPECT_FALSE(clock.knows({one, 4}));
  EXPECT_FALSE(clock.knows({other, 1}));
}

TEST(OpClock, MergingNeverForgets) {
  const auto* one = reinterpret_cast<const Stream*>(1);
  OpClock early, late;
  early.add({one, 2});
  late.add({one, 5});
  late.merge(early);
  EXPECT_TRUE(late.knows({one, 5}));
}

}  // namespace
}  // namespace cuco::vcluster
