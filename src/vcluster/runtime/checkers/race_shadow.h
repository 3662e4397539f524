// The latest accesses to every four bytes of memory that threads can share.
#pragma once

#include <memory>
#include <unordered_map>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/actors.h"

namespace cuco::vcluster {

struct AccessRecord {
  Epoch epoch;
  const AccessSite* site = nullptr;
  uint8_t bytes = 0;  // One bit for each byte of the word.
  AccessKind kind = AccessKind::Read;
};

// One write and two reads are kept: of more readers that no order binds, two stand for all.
struct ShadowCell {
  AccessRecord write;
  AccessRecord reads[2];
};

class RaceShadow {
 public:
  static constexpr uintptr_t kWord = 4;

  ShadowCell& cell(uintptr_t address) {
    uintptr_t page = address / kPageBytes;
    if (page != last_page_) {
      std::unique_ptr<ShadowCell[]>& cells = pages_[page];
      if (!cells) cells = std::make_unique<ShadowCell[]>(kPageBytes / kWord);
      last_page_ = page, last_cells_ = cells.get();
    }
    return last_cells_[address % kPageBytes / kWord];
  }

 private:
  static constexpr uintptr_t kPageBytes = 4096;
  std::unordered_map<uintptr_t, std::unique_ptr<ShadowCell[]>> pages_;
  uintptr_t last_page_ = 0;
  ShadowCell* last_cells_ = nullptr;
};

}  // namespace cuco::vcluster
