#include "vcluster/runtime/recording/byte_set.h"

#include <algorithm>

namespace cuco::vcluster {

void ByteSet::add(uint64_t begin, uint64_t end) {
  if (!ranges_.empty() && ranges_.back().end == begin) {
    ranges_.back().end = end;
    return;
  }
  ranges_.push_back({begin, end});
  if (ranges_.size() < settle_at_) return;
  settle();
  settle_at_ = std::max(4 * kRangesMax, 2 * ranges_.size());
}

void ByteSet::settle() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Range& range : ranges_) {
    if (kept > 0 && range.begin <= ranges_[kept - 1].end)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  }
  ranges_.resize(kept);
  if (ranges_.size() <= kRangesMax) return;
  is_exact_ = false;
  ranges_ = {{ranges_.front().begin, ranges_.back().end}};
}

model::Footprint ByteSet::piece_at(size_t first) const {
  model::Footprint piece;
  piece.begin = ranges_[first].begin;
  piece.piece_bytes = piece.stride = ranges_[first].end - piece.begin;
  if (first + 1 == ranges_.size() || ranges_[first + 1].end - ranges_[first + 1].begin != piece.piece_bytes)
    return piece;
  piece.stride = ranges_[first + 1].begin - piece.begin;
  for (size_t i = first + 1; i < ranges_.size(); i++, piece.count++)
    if (ranges_[i].begin != ranges_[i - 1].begin + piece.stride ||
        ranges_[i].end != ranges_[i].begin + piece.piece_bytes)
      break;
  return piece;
}

std::vector<model::Footprint> ByteSet::pieces() {
  settle();
  std::vector<model::Footprint> all;
  for (size_t first = 0; is_exact_ && first < ranges_.size(); first += all.back().count) all.push_back(piece_at(first));
  return all;
}

model::Footprint ByteSet::footprint() {
  settle();
  if (ranges_.empty()) return {};
  model::Footprint print = piece_at(0);
  print.exact = is_exact_ && print.count == ranges_.size();
  if (print.exact) return print;
  print.piece_bytes = print.stride = ranges_.back().end - print.begin;
  print.count = 1;
  return print;
}

}  // namespace cuco::vcluster
