#include "vcluster/critical_path.h"

#include <algorithm>

namespace cuco::vcluster {

void Intervals::merge() const {
  std::sort(parts_.begin(), parts_.end());
  std::vector<std::pair<int64_t, int64_t>> merged;
  for (const auto& part : parts_) {
    if (!merged.empty() && part.first <= merged.back().second)
      merged.back().second = std::max(merged.back().second, part.second);
    else
      merged.push_back(part);
  }
  parts_ = std::move(merged);
  merge_at_ = std::max<size_t>(1024, 2 * parts_.size());
}

void Intervals::add(int64_t begin, int64_t end) {
  if (begin >= end) return;
  parts_.emplace_back(begin, end);
  if (parts_.size() >= merge_at_) merge();
}

std::vector<std::pair<int64_t, int64_t>> Intervals::merged() const {
  merge();
  return parts_;
}

int64_t covered(const std::vector<const Intervals*>& sets, int64_t begin, int64_t end) {
  Intervals together;
  for (const Intervals* set : sets)
    for (const auto& [from, to] : set->merged()) together.add(std::max(from, begin), std::min(to, end));
  int64_t sum = 0;
  for (const auto& [from, to] : together.merged()) sum += to - from;
  return sum;
}

TimeByCategory time_by_category(const std::vector<Intervals>& spans, int64_t begin, int64_t end) {
  std::vector<const Intervals*> considered;
  int64_t parts[kCategories] = {};
  int64_t before = 0;
  for (size_t i = 0; i < kCategories; i++) {
    considered.push_back(&spans[i]);
    int64_t with = covered(considered, begin, end);
    parts[i] = with - before;
    before = with;
  }
  return {parts[0], parts[1], parts[2], parts[3], std::max<int64_t>(end - begin, 0) - before};
}

}  // namespace cuco::vcluster
