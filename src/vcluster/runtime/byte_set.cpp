#include "vcluster/runtime/byte_set.h"

#include <algorithm>

namespace cuco::vcluster {

void ByteSet::merge_from(std::map<uint64_t, uint64_t>::iterator at) {
  for (auto next = std::next(at); next != ranges_.end() && next->first <= at->second; next = ranges_.erase(next))
    at->second = std::max(at->second, next->second);
}

void ByteSet::add(uint64_t begin, uint64_t end) {
  auto after = ranges_.upper_bound(begin);
  if (after != ranges_.begin()) {
    auto before = std::prev(after);
    if (end <= before->second) return;
    if (begin <= before->second) {
      before->second = end;
      return merge_from(before);
    }
  }
  merge_from(ranges_.emplace_hint(after, begin, end));
  if (ranges_.size() <= kRangesMax) return;
  is_exact_ = false;
  ranges_ = {{ranges_.begin()->first, ranges_.rbegin()->second}};
}

model::Footprint ByteSet::footprint() const {
  model::Footprint print;
  if (ranges_.empty()) return print;
  auto first = ranges_.begin();
  print.begin = first->first;
  print.piece_bytes = first->second - first->first;
  print.count = ranges_.size();
  print.stride = print.count > 1 ? std::next(first)->first - first->first : print.piece_bytes;
  print.exact = is_exact_;
  uint64_t expected = print.begin;
  for (const auto& [begin, end] : ranges_) {
    print.exact = print.exact && begin == expected && end - begin == print.piece_bytes;
    expected += print.stride;
  }
  if (print.exact) return print;
  print.piece_bytes = print.stride = ranges_.rbegin()->second - print.begin;
  print.count = 1;
  return print;
}

}  // namespace cuco::vcluster
