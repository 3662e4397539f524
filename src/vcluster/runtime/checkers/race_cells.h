// The latest accesses to every four bytes of memory that threads can share: 24 bytes for each, a page of them when it
// is touched word by word, one cell for a whole page while only copies and their kin have touched it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/segments.h"

namespace cuco::vcluster {

// One access in eight bytes. The segment is on top, so that comparing two tells which segment is older.
struct PackedAccess {
  static constexpr unsigned kKindShift = 19, kMaskShift = 22, kThreadShift = 26, kSegmentShift = 36;
  static_assert(kSegmentShift + Segments::kBits == 64);

  uint64_t bits = 0;  // 0: none.

  static uint64_t stamp(uint32_t segment, uint32_t thread) {
    return uint64_t{segment} << kSegmentShift | uint64_t{thread} << kThreadShift;
  }
  static PackedAccess make(uint64_t stamp, unsigned mask, AccessKind kind, uint32_t site) {
    return {stamp | uint64_t{mask} << kMaskShift | static_cast<uint64_t>(kind) << kKindShift | site};
  }

  uint32_t segment() const { return static_cast<uint32_t>(bits >> kSegmentShift); }
  uint32_t thread() const { return bits >> kThreadShift & 1023; }  // In its block.
  uint8_t mask() const { return bits >> kMaskShift & 15; }         // One bit for each byte of the word.
  AccessKind kind() const { return static_cast<AccessKind>(bits >> kKindShift & 7); }
  uint32_t site() const { return bits & ((1u << kKindShift) - 1); }

  // By the same thread, with nothing in between that would order it against others.
  bool has_stamp_of(PackedAccess other) const { return (bits ^ other.bits) >> kThreadShift == 0; }
  bool repeats(PackedAccess other) const { return (bits ^ other.bits) >> kKindShift == 0; }
};

// What an access may follow without being looked at: segments of which all is over.
struct Past {
  uint64_t floor = 0;        // Those below, by their stamp.
  uint32_t first_marked = 0;  // And from here on those that are marked.
  std::span<const uint8_t> marks = {};

  bool has(PackedAccess access) const {
    uint32_t number = access.segment() - first_marked;
    return access.bits < floor || (number < marks.size() && marks[number] != 0);
  }
};

// One write and two reads are kept: of more readers that no order binds, two stand for all.
struct RaceCell {
  PackedAccess write;
  PackedAccess reads[2];

  // An access that is in order with those before it if these are in `past`. False: it has to be looked at.
  bool read(PackedAccess now, const Past& past) {
    if (reads[0].repeats(now)) return true;
    if (!is_past(write, now, past)) return false;
    reads[is_past(reads[0], now, past) ? 0 : 1] = now;
    return true;
  }
  bool overwrite(PackedAccess now, const Past& past) {
    if (!is_past(write, now, past) || !is_past(reads[0], now, past) || !is_past(reads[1], now, past)) return false;
    write = now;
    reads[0] = reads[1] = {};
    return true;
  }

 private:
  static bool is_past(PackedAccess before, PackedAccess now, const Past& past) {
    return past.has(before) || before.has_stamp_of(now);
  }
};

class RaceCells {
 public:
  static constexpr uintptr_t kWord = 4, kPageBytes = 4096;
  static constexpr size_t kPageCells = kPageBytes / kWord;

  RaceCell& at(uintptr_t address) { return cells_of(address)[address % kPageBytes / kWord]; }
  // The cells of the page that holds the address.
  RaceCell* cells_of(uintptr_t address);
  // The cell of the whole page when one stands for all of it, else null.
  RaceCell* whole_page(uintptr_t address);
  // Pages that were ever touched word by word.
  size_t page_count() const { return page_count_; }
  // The memory has gone: nothing is kept of it.
  void forget(uintptr_t begin, size_t bytes);

 private:
  struct Page {
    RaceCell whole;
    std::unique_ptr<RaceCell[]> cells;  // Null while `whole` stands for all of them.
  };
  std::unordered_map<uintptr_t, Page> pages_;
  size_t page_count_ = 0;
};

// Pages whose accesses may go straight to their cells: memory that is there, and nobody else's business.
class QuickPages {
 public:
  RaceCell* find(uintptr_t address) const {
    uintptr_t page = address / RaceCells::kPageBytes;
    const Entry& entry = entries_[page % kEntries];
    return entry.page == page ? &entry.cells[address % RaceCells::kPageBytes / RaceCells::kWord] : nullptr;
  }
  void add(uintptr_t address, RaceCell* cells) {
    uintptr_t page = address / RaceCells::kPageBytes;
    entries_[page % kEntries] = {page, cells};
  }
  void clear() { entries_.fill({}); }

 private:
  static constexpr size_t kEntries = 1024;
  struct Entry {
    uintptr_t page = 0;
    RaceCell* cells = nullptr;
  };
  std::array<Entry, kEntries> entries_;
};

extern QuickPages quick_pages;

}  // namespace cuco::vcluster
