// Remembers for every word of device memory which block touched it last, so that an access that says nothing more about
// its block ends after a look at one word. Loops touch the same bytes again and again: this is what keeps tracing
// cheap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace cuco::vcluster {

class TouchStamps {
 public:
  static constexpr uint32_t kStampsMax = (1u << 24) - 1;

  // From 1; one for each block, and none for two. The caller asks for no more than there are.
  uint32_t next_stamp() { return ++last_; }
  void run_as(uint32_t stamp) { running_ = stamp << kMaskBits; }

  // Whether the running block has touched all of these bytes in this way before. False also when that is not known.
  template <unsigned kBytes, bool kWrites>
  bool knows(uintptr_t address) const {
    const Slot& slot = slots_[slot_of(address)];
    if (slot.page != address >> kPageShift || address % kBytes != 0) return false;
    uint32_t mask = mask_of(address % kWord, kBytes) << (kWrites ? kWriteShift : 0);
    const uint32_t* word = slot.words + (address & (kPageBytes - 1)) / kWord;
    for (unsigned i = 0; i < (kBytes + kWord - 1) / kWord; i++)
      if ((word[i] & (~kMasks | mask)) != (running_ | mask)) return false;
    return true;
  }

  void note(uintptr_t address, uint64_t bytes, bool reads, bool writes);

 private:
  static constexpr unsigned kPageShift = 16, kMaskBits = 8, kWriteShift = 4;
  static constexpr uintptr_t kPageBytes = uintptr_t{1} << kPageShift, kWord = 4;
  static constexpr uint32_t kMasks = (1u << kMaskBits) - 1;
  static constexpr size_t kSlotCount = 1024;

  // A word's entry: stamp of the block, bytes written, bytes read.
  using Page = std::array<uint32_t, kPageBytes / kWord>;
  struct Slot {
    uintptr_t page = 0;
    uint32_t* words = nullptr;
  };

  static size_t slot_of(uintptr_t address) { return (address >> kPageShift) % kSlotCount; }
  static constexpr uint32_t mask_of(uintptr_t first, uint64_t bytes) {
    return bytes >= kWord - first ? 15u >> first << first : ((1u << bytes) - 1) << first;
  }
  uint32_t& entry_of(uintptr_t address);

  uint32_t last_ = 0, running_ = 0;
  std::array<Slot, kSlotCount> slots_;  // The pages looked at lately.
  std::map<uintptr_t, std::unique_ptr<Page>> pages_;
};

}  // namespace cuco::vcluster
