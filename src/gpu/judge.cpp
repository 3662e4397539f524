#include "gpu/judge.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "gpu/kernel_waits.h"

namespace cuco::gpu {

namespace {

using evaluate::Finding;

constexpr size_t kWaitsShown = 4;
constexpr size_t kOutputShown = 400;

Finding finding(const std::string& kind, int rank, std::string text) {
  Finding made;
  made.level = evaluate::Level::Timed;
  made.kind = kind;
  made.rank = rank;
  made.text = std::move(text);
  return made;
}

std::string waits_text(const std::string& kernel, const std::vector<SourceFile>& files) {
  std::vector<Wait> waits = waits_of(kernel, files);
  std::vector<std::string> places;
  for (size_t i = 0; i < waits.size() && i < kWaitsShown; i++)
    places.push_back(concat(waits[i].file, ":", waits[i].line, " (", waits[i].what, ")"));
  if (waits.size() > kWaitsShown) places.push_back(concat(waits.size() - kWaitsShown, " more"));
  return places.empty() ? "" : concat(", which can wait at ", join(places, ", "));
}

// A limit of this machine may have ended the ranks in the middle of a call that would have returned.
std::string stopped_text(const RunOutcome& outcome) {
  return outcome.stopped.empty() ? "" : concat("; the run was ended: ", outcome.stopped);
}

Finding hang_finding(const StuckRank& stuck, const RunOutcome& outcome, const std::vector<SourceFile>& files) {
  std::vector<std::string> kernels;
  for (const std::string& kernel : stuck.kernels) kernels.push_back(concat(kernel, waits_text(kernel, files)));
  std::string on = kernels.empty() ? "no kernel of its own is known to run, so it waits on the host or in a collective"
                                   : concat("launched and not done: ", join(kernels, "; "));
  return finding("hang", static_cast<int>(stuck.rank),
                 concat("rank ", stuck.rank, " does not return from its region in iteration ", stuck.iteration, "; ",
                        on, stopped_text(outcome)));
}

// Open MPI frames what it says itself with rules of dashes.
bool is_of_launcher(const std::string& framed) {
  return framed.find("mpirun") != framed.npos || framed.find("Primary job") != framed.npos;
}

// What the program printed, without what its launcher said of how it ended.
std::string own_lines(const std::string& output) {
  constexpr size_t kRule = 40;
  std::string own, framed;
  bool is_framed = false;
  for (const std::string& line : split(output, '\n')) {
    bool is_rule = line.size() >= kRule && line.find_first_not_of('-') == line.npos;
    (is_framed || is_rule ? framed : own) += line + "\n";
    if (!is_rule) continue;
    if (is_framed && !is_of_launcher(framed)) own += framed;
    if (is_framed) framed.clear();
    is_framed = !is_framed;
  }
  return own + framed;
}

std::string shown_end(const std::string& output) {
  std::string own = own_lines(output);
  std::string text(trim(own));
  return text.size() > kOutputShown ? concat("... ", text.substr(text.size() - kOutputShown)) : text;
}

Finding end_finding(const RunOutcome& outcome) {
  std::string printed = shown_end(outcome.output);
  std::string saying = printed.empty() ? "" : concat("; it printed: ", printed);
  if (outcome.end == "refused") return finding("cannot_run", -1, printed);
  if (outcome.end == "limit") return finding("limit", -1, concat("the run was ended: ", printed));
  if (outcome.end == "signal")
    return finding("fault", -1, concat("a rank was ended by signal ", outcome.exit_code - 128, saying));
  return finding("exit_code", -1, concat("the program ended with code ", outcome.exit_code, saying));
}

// One a rank and kind: the same fault shows in every iteration.
void add_faults(const RunOutcome& outcome, std::vector<Finding>& findings) {
  for (const RankFault& fault : outcome.faults) {
    auto same = [&](const Finding& each) {
      return each.kind == fault.kind && each.rank == static_cast<int>(fault.rank);
    };
    if (std::none_of(findings.begin(), findings.end(), same))
      findings.push_back(finding(fault.kind, static_cast<int>(fault.rank), fault.text));
  }
}

struct Iteration {
  uint32_t number = 0;
  double longest_us = 0;
  double waited_us = 0;
};

std::vector<Iteration> by_length(const RunOutcome& outcome) {
  std::map<uint32_t, Iteration> iterations;
  for (const TimedCall& call : outcome.calls) {
    if (!call.is_timed) continue;
    Iteration& iteration = iterations[call.iteration];
    iteration.number = call.iteration;
    iteration.longest_us = std::max(iteration.longest_us, call.us);
    iteration.waited_us = std::max(iteration.waited_us, call.waited_us);
  }
  std::vector<Iteration> sorted;
  for (const auto& [number, iteration] : iterations) sorted.push_back(iteration);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Iteration& a, const Iteration& b) { return a.longest_us < b.longest_us; });
  return sorted;
}

double waited_share(const std::vector<Iteration>& iterations) {
  double waited_us = 0, taken_us = 0;
  for (const Iteration& iteration : iterations) {
    waited_us += iteration.waited_us;
    taken_us += iteration.longest_us;
  }
  return taken_us > 0 ? waited_us / taken_us : 0;
}

}  // namespace

std::vector<Finding> findings_of(const RunOutcome& outcome, const std::vector<SourceFile>& files) {
  std::vector<Finding> findings;
  for (const StuckRank& stuck : outcome.stuck) findings.push_back(hang_finding(stuck, outcome, files));
  add_faults(outcome, findings);
  if (findings.empty() && outcome.end != "ok") findings.push_back(end_finding(outcome));
  return findings;
}

double timed_us_of(const RunOutcome& outcome) {
  double sum = 0;
  for (const Iteration& iteration : by_length(outcome)) sum += iteration.longest_us;
  return sum;
}

evaluate::Timing timing_of(const RunOutcome& outcome) {
  evaluate::Timing timing;
  std::vector<Iteration> sorted = by_length(outcome);
  if (sorted.empty()) return timing;
  const Iteration& median = sorted[sorted.size() / 2];
  timing.median_us = median.longest_us;
  timing.least_us = sorted.front().longest_us;
  timing.most_us = sorted.back().longest_us;
  timing.spread_us = sorted[sorted.size() * 3 / 4].longest_us - sorted[sorted.size() / 4].longest_us;
  timing.waited_share = waited_share(sorted);
  for (const TimedCall& call : outcome.calls)
    if (call.iteration == median.number) timing.rank_us.push_back(call.us);
  return timing;
}

}  // namespace cuco::gpu
