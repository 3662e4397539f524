#include "vcluster/runtime/harness/slots.h"

#include <algorithm>
#include <iterator>

namespace cuco::vcluster {

bool Slots::use(uintptr_t begin, size_t bytes) {
  uintptr_t end = begin + bytes;
  auto next = used_.upper_bound(begin);
  auto first = next != used_.begin() && std::prev(next)->second >= begin ? std::prev(next) : next;
  if (first != next && first->second >= end) return false;
  bool is_new = true;
  while (first != used_.end() && first->first <= end) {
    is_new = is_new && (first->second <= begin || first->first >= end);
    begin = std::min(begin, first->first), end = std::max(end, first->second);
    first = used_.erase(first);
  }
  used_.emplace(begin, end);
  return is_new;
}

}  // namespace cuco::vcluster
