#include "vcluster/runtime/timing/timeline.h"

#include <algorithm>

#include "vcluster/runtime/timing/bound.h"

namespace cuco::vcluster {

namespace {

// Viewers take seconds to open more than this.
constexpr size_t kBlocksMax = 100'000;

}  // namespace

Timeline::Timeline(size_t rank_count, bool for_trace) : for_trace_(for_trace), ranks_(rank_count) {}

void Timeline::add_span(int rank, Category category, Time begin, Time end) {
  ranks_[static_cast<size_t>(rank)].spans[static_cast<size_t>(category)].add(begin, end);
}

void Timeline::add_operation(StreamSlice slice) {
  if (slice.begin >= slice.end) return;
  Rank& rank = ranks_[static_cast<size_t>(slice.rank)];
  rank.active_begin = rank.is_active ? std::min(rank.active_begin, slice.begin) : slice.begin;
  rank.active_end = std::max(rank.active_end, slice.end);
  rank.is_active = true;
  if (!for_trace_) slice.name.clear();
  operations_.push_back(std::move(slice));
}

size_t Timeline::add_send(SendSlice slice) {
  if (!for_trace_) return kNoSend;
  sends_.push_back(std::move(slice));
  return sends_.size() - 1;
}

void Timeline::add_block(BlockSlice slice) {
  if (!for_trace_) return;
  if (blocks_.size() < kBlocksMax)
    blocks_.push_back(std::move(slice));
  else
    blocks_left_out_++;
}

void Timeline::add_flow(Flow flow) {
  if (flow.send != kNoSend) flows_.push_back(flow);
}

void Timeline::add_timed(int number, Time begin, Time end) {
  Rank& rank = ranks_[static_cast<size_t>(number)];
  if (rank.is_timed && end - begin <= rank.timed_end - rank.timed_begin) return;
  rank.is_timed = true;
  rank.timed_begin = begin;
  rank.timed_end = end;
}

void Timeline::set_region(int number, Time begin, Time end) {
  Rank& rank = ranks_[static_cast<size_t>(number)];
  rank.is_timed = rank.is_harness = true;
  rank.timed_begin = begin;
  rank.timed_end = end;
}

Time Timeline::region_begin(int number) const {
  const Rank& rank = ranks_[static_cast<size_t>(number)];
  return rank.is_timed ? rank.timed_begin : rank.active_begin;
}

bool Timeline::is_in_region(int number, Time at) const {
  const Rank& rank = ranks_[static_cast<size_t>(number)];
  return !rank.is_timed || (at >= rank.timed_begin && at <= rank.timed_end);
}

TimeSpan Timeline::region_of(const Rank& rank) const {
  if (rank.is_timed) return {rank.timed_begin, rank.timed_end};
  return {rank.active_begin, rank.active_end};
}

std::vector<TimeSpan> Timeline::regions() const {
  std::vector<TimeSpan> all;
  for (const Rank& rank : ranks_) all.push_back(region_of(rank));
  return all;
}

// Between two kernels at least the shortest way from one to the other passes, whatever the program uses.
Time Timeline::longest_chain(const model::HardwareProfile& profile) const {
  const model::Latencies& latencies = profile.latencies;
  Time gap = from_us(std::min({latencies.kernel_gap_us, latencies.event_us, latencies.launch_us}));
  Time longest = order_.longest(regions(), gap, profile.gpu.sm_count);
  // A harness begins its region on the host, with nothing launched.
  bool begins_on_host = std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.is_harness; });
  return longest > 0 && begins_on_host ? longest + from_us(latencies.launch_us) : longest;
}

RankTiming Timeline::timing_of(const Rank& rank) const {
  RankTiming timing;
  auto [begin, end] = region_of(rank);
  TimeByCategory time = time_by_category(rank.spans, begin, end);
  timing.region = rank.is_harness ? "harness" : rank.is_timed ? "events" : rank.is_active ? "activity" : "none";
  timing.begin_us = to_us(begin);
  timing.end_us = to_us(end);
  timing.compute_us = to_us(time.compute);
  timing.copy_us = to_us(time.copy);
  timing.exposed_communication_us = to_us(time.exposed_communication);
  timing.launch_us = to_us(time.launch);
  timing.wait_us = to_us(time.wait);
  return timing;
}

void Timeline::fill(RunReport& report, const model::HardwareProfile& profile) const {
  std::vector<Work> work(ranks_.size());
  for (const Rank& rank : ranks_) report.timings.push_back(timing_of(rank));
  for (const StreamSlice& operation : operations_) {
    auto index = static_cast<size_t>(operation.rank);
    const Rank& rank = ranks_[index];
    bool inside = !rank.is_timed || (operation.begin >= rank.timed_begin && operation.end <= rank.timed_end);
    if (inside) work[index] += operation.work;
  }
  for (const Work& of_rank : work) report.operations += operations_of(of_rank.counters);
  Bound bound = bound_of(work, profile);
  report.bound_compute_us = to_us(std::max(bound.compute, order_.in_whole_blocks(regions(), profile.gpu.sm_count)));
  report.bound_communication_us = to_us(bound.communication);
  report.bound_order_us = to_us(longest_chain(profile));
}

}  // namespace cuco::vcluster
