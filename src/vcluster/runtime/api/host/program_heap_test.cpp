#include "vcluster/runtime/api/host/program_heap.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cuco::vcluster {
namespace {

TEST(ProgramHeap, BlocksOfAProcessHaveItsTag) {
  ProgramHeap first(40), second(41);
  void *a = first.allocate(10), *b = second.allocate(3000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) >> kDeviceShift, first.tag());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) >> kDeviceShift, second.tag());
  EXPECT_EQ(heap_at(a), &first);
  EXPECT_EQ(heap_at(b), &second);
  int outside = 0;
  EXPECT_EQ(heap_at(&outside), nullptr);
}

TEST(ProgramHeap, BlocksAreAlignedAsAsked) {
  ProgramHeap heap(42);
  for (size_t alignment : {16, 64, 4096, 2 << 20}) {
    heap.allocate(24);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(heap.allocate(100, alignment)) % alignment, 0u) << alignment;
  }
  EXPECT_EQ(heap.allocate(100, 4 << 20), nullptr);
}

TEST(ProgramHeap, FreedBlocksComeBackAndOnlyOnce) {
  ProgramHeap heap(43);
  void* block = heap.allocate(100);
  EXPECT_TRUE(heap.free(block));
  EXPECT_FALSE(heap.free(block));
  EXPECT_EQ(heap.bytes_of(block), 0u);
  EXPECT_EQ(heap.allocate(97), block);
  EXPECT_EQ(heap.bytes_of(block), 97u);
}

TEST(ProgramHeap, ResizingKeepsWhatFits) {
  ProgramHeap heap(44);
  char* block = static_cast<char*>(heap.allocate(4));
  std::memcpy(block, "abc", 4);
  char* larger = static_cast<char*>(heap.resize(block, 4000));
  EXPECT_STREQ(larger, "abc");
  EXPECT_EQ(heap.bytes_of(larger), 4000u);
}

TEST(ProgramHeap, LargeBlocksHoldZerosAgainAfterTheyWereFreed) {
  ProgramHeap heap(45);
  char* block = static_cast<char*>(heap.allocate(ProgramHeap::kFreshBytes));
  block[5] = 1;
  heap.free(block);
  EXPECT_EQ(heap.allocate(ProgramHeap::kFreshBytes), block);
  EXPECT_EQ(block[5], 0);
}

}  // namespace
}  // namespace cuco::vcluster
