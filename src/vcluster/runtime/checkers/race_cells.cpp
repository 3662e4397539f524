#include "vcluster/runtime/checkers/race_cells.h"

#include <algorithm>

namespace cuco::vcluster {

QuickPages quick_pages;

RaceCell* RaceCells::cells_of(uintptr_t address) {
  Page& page = pages_[address / kPageBytes];
  if (!page.cells) {
    page.cells = std::make_unique<RaceCell[]>(kPageCells);
    std::fill_n(page.cells.get(), kPageCells, page.whole);
    page_count_++;
  }
  return page.cells.get();
}

RaceCell* RaceCells::whole_page(uintptr_t address) {
  Page& page = pages_[address / kPageBytes];
  return page.cells ? nullptr : &page.whole;
}

void RaceCells::forget(uintptr_t begin, size_t bytes) {
  for (uintptr_t page = begin / kPageBytes; page <= (begin + bytes) / kPageBytes; page++) pages_.erase(page);
  quick_pages.clear();
}

}  // namespace cuco::vcluster
