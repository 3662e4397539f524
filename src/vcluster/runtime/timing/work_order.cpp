#include "vcluster/runtime/timing/work_order.h"

#include <algorithm>
#include <functional>
#include <map>
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

namespace {

// Of every step the kernels that must have ended before it begins.
class KernelsBefore {
 public:
  KernelsBefore(const std::vector<WorkOrder::Step>& steps, size_t multiprocessor_count)
      : steps_(steps), multiprocessor_count_(multiprocessor_count), sets_(steps.size() + 1) {}

  // In the order of steps; numbers are those that WorkOrder::add gave.
  void add(size_t number) {
    const WorkOrder::Step& step = steps_[number - 1];
    Set& mine = sets_[number];
    for (size_t earlier : step.after) merge(mine, sets_[earlier]);
    if (step.blocks.empty() || kernels_.size() == kKernelsMax) return;
    mine.resize(std::max(mine.size(), kernels_.size() / 64 + 1));
    mine[kernels_.size() / 64] |= uint64_t{1} << kernels_.size() % 64;
    kernels_.push_back(number);
    sums_.push_back(std::accumulate(step.blocks.begin(), step.blocks.end(), Time{0}));
  }

  // When the step can begin at the earliest if the others end at `until`: after a kernel that all of the rest have
  // waited for, their blocks have taken their time.
  Time begin_of(size_t number, const std::vector<Time>& until, Time gap) const {
    Set rest;
    for (size_t earlier : steps_[number - 1].after) merge(rest, sets_[earlier]);
    Time begin = 0;
    for (size_t i = kernels_.size(), tried = 0; i-- > 0 && tried < kForksMax;) {
      if (!has(rest, i)) continue;
      tried++;
      if (!all_have_waited_for(i, rest)) continue;
      begin = until[kernels_[i]] + gap;
      remove(rest, sets_[kernels_[i]]);
      break;
    }
    return begin + time_of(rest, steps_[number - 1].rank);
  }

 private:
  using Set = std::vector<uint64_t>;  // A bit for each kernel.
  // Beyond these a bound is lower than it could be, and soon found.
  static constexpr size_t kKernelsMax = 4096, kBlocksMax = 16384, kForksMax = 64;

  static bool has(const Set& set, size_t kernel) {
    return kernel / 64 < set.size() && (set[kernel / 64] >> kernel % 64 & 1) != 0;
  }
  static void merge(Set& into, const Set& more) {
    into.resize(std::max(into.size(), more.size()));
    for (size_t i = 0; i < more.size(); i++) into[i] |= more[i];
  }
  static void remove(Set& from, const Set& less) {
    for (size_t i = 0; i < std::min(from.size(), less.size()); i++) from[i] &= ~less[i];
  }

  // But for those that the kernel has waited for itself.
  bool all_have_waited_for(size_t kernel, Set others) const {
    remove(others, sets_[kernels_[kernel]]);
    for (size_t i = 0; i < kernels_.size(); i++)
      if (has(others, i) && !has(sets_[kernels_[i]], kernel)) return false;
    return true;
  }

  Time time_of(const Set& set, int rank) const {
    std::vector<size_t> chosen;
    size_t block_count = 0;
    Time sum = 0;
    for (size_t i = 0; i < kernels_.size(); i++) {
      const WorkOrder::Step& kernel = steps_[kernels_[i] - 1];
      if (!has(set, i) || kernel.rank != rank) continue;
      chosen.push_back(kernels_[i]);
      block_count += kernel.blocks.size();
      sum += sums_[i];
    }
    // Large grids in long loops have millions of blocks, which are not gathered for every step.
    if (block_count > kBlocksMax) return sum / static_cast<Time>(std::max<size_t>(multiprocessor_count_, 1));
    std::vector<Time> blocks;
    for (size_t number : chosen) {
      const std::vector<Time>& more = steps_[number - 1].blocks;
      blocks.insert(blocks.end(), more.begin(), more.end());
    }
    return time_in_whole_blocks(std::move(blocks), multiprocessor_count_);
  }

  const std::vector<WorkOrder::Step>& steps_;
  size_t multiprocessor_count_;
  std::vector<Set> sets_;
  std::vector<size_t> kernels_;  // Their numbers.
  std::vector<Time> sums_;       // Of the blocks of each.
};

// What one rank sends over one link, by when it is there at the earliest.
class Leaving {
 public:
  void add(Time ready, Time wire) { wires_[ready] += wire; }

  // When the last bytes have left: those that are there late have the link to themselves at best.
  Time end() const {
    Time end = 0, later = 0;
    for (auto one = wires_.rbegin(); one != wires_.rend(); ++one) {
      later += one->second;
      end = std::max(end, one->first + later);
    }
    return end;
  }

 private:
  std::map<Time, Time> wires_;
};

// How early each step of a program can end, and have the first of its bytes there, when messages take no time.
class Chains {
 public:
  Chains(const std::vector<WorkOrder::Step>& steps, Time gap, size_t multiprocessor_count)
      : steps_(steps),
        gap_(gap),
        before_(steps, multiprocessor_count),
        until_(steps.size() + 1, 0),
        first_(steps.size() + 1, 0) {}

  // In the order of steps; numbers are those that WorkOrder::add gave. `began`: the rank's region.
  void add(size_t number, Time began) {
    const WorkOrder::Step& step = steps_[number - 1];
    before_.add(number);
    Time begin = begin_of(number), ready = ready_for(step);
    if (begin > 0 && step.alone > 0) begin += gap_;
    Time end = begin + step.alone;
    bool waits = step.notices > 0 && end > 0 && end >= step.asked - began;
    until_[number] = end + (waits ? step.notices : 0);
    first_[number] = step.blocks.empty() ? ready : begin + *std::min_element(step.blocks.begin(), step.blocks.end());
    if (step.notices > 0) first_[number] = end;
    for (const WorkOrder::Sent& sent : step.sent)
      leaving_[{step.rank, sent.between_nodes}].add(ready + sent.computed, sent.wire);
  }

  Time longest() const {
    Time longest = *std::max_element(until_.begin(), until_.end());
    for (const auto& [link, bytes] : leaving_) longest = std::max(longest, bytes.end());
    return longest;
  }

 private:
  Time begin_of(size_t number) const {
    const std::vector<size_t>& after = steps_[number - 1].after;
    Time begin = 0;
    for (size_t earlier : after) begin = std::max(begin, until_[earlier]);
    auto is_chain = [&](size_t earlier) { return until_[earlier] > 0; };
    if (std::count_if(after.begin(), after.end(), is_chain) < 2) return begin;
    return std::max(begin, before_.begin_of(number, until_, gap_));
  }
  Time ready_for(const WorkOrder::Step& step) const {
    Time ready = 0;
    for (size_t earlier : step.after) ready = std::max(ready, first_[earlier]);
    return ready;
  }

  const std::vector<WorkOrder::Step>& steps_;
  Time gap_;
  KernelsBefore before_;
  std::vector<Time> until_, first_;                  // By the number of the step.
  std::map<std::pair<int, bool>, Leaving> leaving_;  // By rank and link.
};

}  // namespace

Time WorkOrder::longest(const std::vector<TimeSpan>& regions, Time gap, size_t multiprocessor_count) const {
  Chains chains(steps_, gap, multiprocessor_count);
  for (size_t i = 0; i < steps_.size(); i++)
    if (is_inside(steps_[i], regions)) chains.add(i + 1, regions[static_cast<size_t>(steps_[i].rank)].begin);
  return chains.longest();
}

}  // namespace cuco::vcluster
