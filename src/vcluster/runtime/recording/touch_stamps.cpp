#include "vcluster/runtime/recording/touch_stamps.h"

#include <algorithm>

namespace cuco::vcluster {

uint32_t& TouchStamps::entry_of(uintptr_t address) {
  uintptr_t page = address >> kPageShift;
  Slot& slot = slots_[slot_of(address)];
  if (slot.page != page) {
    std::unique_ptr<Page>& words = pages_[page];
    if (!words) words = std::make_unique<Page>();
    slot = {page, words->data()};
  }
  return slot.words[(address & (kPageBytes - 1)) / kWord];
}

void TouchStamps::note(uintptr_t address, uint64_t bytes, bool reads, bool writes) {
  while (bytes > 0) {
    uint32_t& entry = entry_of(address);
    if ((entry & ~kMasks) != running_) entry = running_;
    uint32_t mask = mask_of(address % kWord, bytes);
    entry |= (reads ? mask : 0) | (writes ? mask << kWriteShift : 0);
    uint64_t done = std::min<uint64_t>(kWord - address % kWord, bytes);
    address += done;
    bytes -= done;
  }
}

}  // namespace cuco::vcluster
