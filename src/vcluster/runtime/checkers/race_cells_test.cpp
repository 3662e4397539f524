#include "vcluster/runtime/checkers/race_cells.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

constexpr uintptr_t kPage = RaceCells::kPageBytes;

PackedAccess access(uint32_t segment, uint32_t thread, AccessKind kind) {
  return PackedAccess::make(PackedAccess::stamp(segment, thread), 15, kind, 7);
}
PackedAccess read(uint32_t segment, uint32_t thread) { return access(segment, thread, AccessKind::Read); }
PackedAccess write(uint32_t segment, uint32_t thread) { return access(segment, thread, AccessKind::Write); }
Past floor_at(uint32_t segment) { return {PackedAccess::stamp(segment, 0)}; }

TEST(PackedAccess, GivesBackWhatItWasMadeOf) {
  uint32_t segment = (1u << Segments::kBits) - 1;
  PackedAccess made = PackedAccess::make(PackedAccess::stamp(segment, 1023), 6, AccessKind::AtomicUpdate, 500'000);
  EXPECT_EQ(made.segment(), segment);
  EXPECT_EQ(made.thread(), 1023u);
  EXPECT_EQ(made.mask(), 6);
  EXPECT_EQ(made.kind(), AccessKind::AtomicUpdate);
  EXPECT_EQ(made.site(), 500'000u);
}

TEST(RaceCell, MarkedSegmentsAboveTheFloorArePast) {
  const uint8_t marks[] = {1, 0};
  Past past = {PackedAccess::stamp(2, 0), 5, marks};
  RaceCell marked, unmarked, later;
  ASSERT_TRUE(marked.overwrite(write(5, 0), floor_at(5)));
  ASSERT_TRUE(unmarked.overwrite(write(6, 0), floor_at(6)));
  ASSERT_TRUE(later.overwrite(write(7, 0), floor_at(7)));
  EXPECT_TRUE(marked.read(read(8, 1), past));
  EXPECT_FALSE(unmarked.read(read(8, 1), past));
  EXPECT_FALSE(later.read(read(8, 1), past));
}

TEST(RaceCell, WriteOfTheSameIntervalIsLookedAt) {
  RaceCell cell;
  EXPECT_TRUE(cell.overwrite(write(5, 0), floor_at(5)));
  EXPECT_FALSE(cell.read(read(5, 1), floor_at(5)));
  EXPECT_TRUE(cell.read(read(5, 0), floor_at(5)));
}

TEST(RaceCell, WriteBelowTheFloorIsPast) {
  RaceCell cell;
  ASSERT_TRUE(cell.overwrite(write(5, 0), floor_at(5)));
  EXPECT_TRUE(cell.read(read(6, 1), floor_at(6)));
  EXPECT_TRUE(cell.overwrite(write(7, 2), floor_at(7)));
}

TEST(RaceCell, KeepsTwoReadersSoThatNoWriterIsAlone) {
  RaceCell cell;
  for (uint32_t thread : {3u, 4u, 5u}) EXPECT_TRUE(cell.read(read(5, thread), floor_at(5)));
  EXPECT_EQ(cell.reads[0].thread(), 3u);
  EXPECT_EQ(cell.reads[1].thread(), 5u);
  for (uint32_t thread : {3u, 5u, 6u}) EXPECT_FALSE(cell.overwrite(write(5, thread), floor_at(5)));
}

TEST(RaceCells, OneCellStandsForAPageUntilAWordIsTouched) {
  RaceCells cells;
  RaceCell* whole = cells.whole_page(3 * kPage);
  ASSERT_NE(whole, nullptr);
  whole->write = write(9, 0);
  EXPECT_EQ(cells.at(3 * kPage + 400).write.segment(), 9u);
  EXPECT_EQ(cells.whole_page(3 * kPage), nullptr);
}

TEST(RaceCells, ForgetsFreedMemory) {
  RaceCells cells;
  cells.at(8 * kPage).write = write(2, 0);
  quick_pages.add(8 * kPage, cells.cells_of(8 * kPage));
  cells.forget(8 * kPage, kPage);
  EXPECT_EQ(quick_pages.find(8 * kPage), nullptr);
  EXPECT_EQ(cells.at(8 * kPage).write.bits, 0u);
}

}  // namespace
}  // namespace cuco::vcluster
