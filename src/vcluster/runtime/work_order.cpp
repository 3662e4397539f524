#include "vcluster/runtime/work_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cuco::vcluster {

// Of k blocks for each multiprocessor and one more, k + 1 meet on some multiprocessor. Of the longest so many blocks,
// they take no less than the k + 1 shortest of these. That holds for every k.
Time time_in_whole_blocks(std::vector<Time> blocks, size_t multiprocessor_count) {
  std::sort(blocks.begin(), blocks.end(), std::greater<>());
  std::vector<Time> sums(blocks.size() + 1, 0);
  std::partial_sum(blocks.begin(), blocks.end(), sums.begin() + 1);
  size_t count = std::max<size_t>(multiprocessor_count, 1);
  Time least = sums.back() / static_cast<Time>(count);
  for (size_t k = 0; k * count < blocks.size(); k++) {
    size_t longest = k * count + 1;
    least = std::max(least, sums[longest] - sums[longest - k - 1]);
  }
  return least;
}

bool WorkOrder::is_inside(const Step& step, const std::vector<TimeSpan>& regions) {
  const TimeSpan& region = regions[static_cast<size_t>(step.rank)];
  return step.span.begin >= region.begin && step.span.end <= region.end;
}

size_t WorkOrder::add(Step step) {
  std::erase(step.after, kNone);
  steps_.push_back(std::move(step));
  return steps_.size();
}

Time WorkOrder::in_whole_blocks(const std::vector<TimeSpan>& regions, size_t multiprocessor_count) const {
  std::vector<std::vector<Time>> blocks(regions.size());
  for (const Step& step : steps_) {
    std::vector<Time>& of_rank = blocks[static_cast<size_t>(step.rank)];
    if (is_inside(step, regions)) of_rank.insert(of_rank.end(), step.blocks.begin(), step.blocks.end());
  }
  Time longest = 0;
  for (std::vector<Time>& of_rank : blocks)
    longest = std::max(longest, time_in_whole_blocks(std::move(of_rank), multiprocessor_count));
  return longest;
}

Time WorkOrder::longest(const std::vector<TimeSpan>& regions, Time gap) const {
  std::vector<Time> until(steps_.size() + 1, 0);
  for (size_t i = 0; i < steps_.size(); i++) {
    const Step& step = steps_[i];
    if (!is_inside(step, regions)) continue;
    Time& end = until[i + 1];
    for (size_t earlier : step.after) end = std::max(end, until[earlier]);
    if (step.alone > 0) end += (end > 0 ? gap : 0) + step.alone;
  }
  return *std::max_element(until.begin(), until.end());
}

}  // namespace cuco::vcluster
