#include "report/reasons.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "base/text.h"
#include "evaluate/verdict.h"
#include "report/html.h"

namespace cuco::report {

namespace {

using space::Placement;

constexpr double kShareMin = 0.01;  // Of the longer time: a smaller difference explains nothing.

bool has_placement(const space::Plan& plan, Placement placement) {
  return std::any_of(plan.choices.begin(), plan.choices.end(), [&](const space::SiteChoice& choice) {
    return choice.directive.backend != space::Backend::Host && choice.directive.placement == placement;
  });
}

bool is_fused(const Entry& entry) {
  if (!entry.plan) return false;
  return has_placement(*entry.plan, Placement::TileFused) || has_placement(*entry.plan, Placement::Specialised) ||
         entry.plan->schedule.waits == space::Waits::Blocks;
}

bool runs_beside(const space::Plan& plan) {
  return has_placement(plan, Placement::Stream) || has_placement(plan, Placement::Split);
}

std::string mechanism_of(const space::Plan& plan) {
  std::vector<std::string> ways;
  if (has_placement(plan, Placement::TileFused))
    ways.push_back(
        "kernels send each part of a message when it is written, and no kernel of communication follows them");
  if (has_placement(plan, Placement::Specialised))
    ways.push_back("some blocks of a kernel send each part of a message when the others have written it");
  if (runs_beside(plan)) ways.push_back("messages travel beside kernels that do not need them");
  if (plan.schedule.waits == space::Waits::Blocks)
    ways.push_back("kernels start before all that they read has come, and each block waits for its own messages");
  return ways.empty() ? "" : concat("In the best program ", join(ways, "; "), ".");
}

// A share of the time on the slowest rank, of two programs.
struct Share {
  const char* name;
  double best_us, other_us;

  double difference() const { return std::abs(best_us - other_us); }
};

std::vector<Share> shares_of(const evaluate::CriticalPath& best, const evaluate::CriticalPath& other) {
  std::vector<Share> shares = {
      {"exposed communication", best.exposed_communication_us, other.exposed_communication_us},
      {"compute", best.compute_us, other.compute_us},
      {"waiting", best.wait_us, other.wait_us},
      {"launches", best.launch_us, other.launch_us},
      {"copies", best.copy_us, other.copy_us},
  };
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.difference() > b.difference(); });
  return shares;
}

// ": exposed communication 12.0 us instead of 300.0 us, launches ...", of what differs by enough.
std::string shares_text(const Entry& best, const Entry& other) {
  std::optional<evaluate::Timing> own = timing_of(best), its = timing_of(other);
  if (!own || !its) return "";
  std::vector<std::string> texts;
  for (const Share& share : shares_of(own->path, its->path))
    if (share.difference() >= kShareMin * std::max(own->median_us, its->median_us))
      texts.push_back(concat(share.name, " ", duration(share.best_us), " instead of ", duration(share.other_us)));
  return texts.empty() ? "" : concat(": on the slowest rank ", join(texts, ", "));
}

// "Best #8 takes 912.0 us, 90.0 us less than WHO: ...".
std::string comparison(const Entry& best, const Entry& other, const std::string& who) {
  double own = *best.time_us(), its = *other.time_us();
  return concat("Best #", best.candidate.id, " takes ", duration(own), ", ", duration(its - own), " less than ", who,
                shares_text(best, other), ".");
}

// The fastest of the designs that are fused where the best is not, and the other way round.
const Entry* rival_of(const RunView& view, const Entry& best) {
  const Entry* fastest = nullptr;
  for (const Entry& entry : view.entries)
    if (entry.plan && entry.time_us() && is_fused(entry) != is_fused(best) && *entry.time_us() >= *best.time_us() &&
        (!fastest || *entry.time_us() < *fastest->time_us()))
      fastest = &entry;
  return fastest;
}

std::string rival_words(const Entry& rival) {
  return concat("#", rival.candidate.id, " (", design_of(rival), "), the fastest in which the program's kernels ",
                is_fused(rival) ? "send or wait themselves" : "neither send nor wait");
}

size_t count_on_streams(const Timeline& timeline) {
  size_t count = 0;
  for (const Track& track : timeline.tracks)
    if (!track.is_link) count += track.slices.size();
  return count;
}

// Of a message on a link, or of a call of NCCL's on a stream, whose messages no link shows.
std::optional<double> first_communication_us(const Timeline& timeline) {
  std::optional<double> first;
  for (const Track& track : timeline.tracks)
    for (const Slice& slice : track.slices)
      if (track.is_link || slice.name.starts_with("nccl"))
        first = std::min(first.value_or(slice.begin_us), slice.begin_us);
  return first;
}

}  // namespace

std::vector<std::string> reasons_of(const RunView& view) {
  const Entry *best = view.find(view.best), *baseline = view.find(view.baseline);
  if (!best || !baseline || best == baseline || !best->time_us() || !baseline->time_us()) return {};
  std::vector<std::string> reasons;
  if (std::string mechanism = best->plan ? mechanism_of(*best->plan) : ""; !mechanism.empty())
    reasons.push_back(mechanism);
  reasons.push_back(comparison(*best, *baseline, "the baseline"));
  if (const Entry* rival = rival_of(view, *best)) reasons.push_back(comparison(*best, *rival, rival_words(*rival)));
  return reasons;
}

std::vector<std::string> reasons_in(const std::vector<NamedTimeline>& timelines) {
  if (timelines.size() != 2) return {};
  const Timeline &before = timelines[0].timeline, &after = timelines[1].timeline;
  std::vector<std::string> reasons;
  std::optional<double> late = first_communication_us(before), early = first_communication_us(after);
  if (late && early)
    reasons.push_back(concat("Communication begins after ", duration(*early), " instead of ", duration(*late), "."));
  size_t many = count_on_streams(before), few = count_on_streams(after);
  if (few < many)
    reasons.push_back(
        concat("All ranks together have ", few, " kernels, copies and calls on their streams instead of ", many, "."));
  return reasons;
}

}  // namespace cuco::report
