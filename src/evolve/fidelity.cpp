#include "evolve/fidelity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/median.h"
#include "base/text.h"
#include "evolve/fingerprint.h"
#include "space/enumerate.h"
#include "space/plan_legality.h"

namespace cuco::evolve {

namespace {

constexpr size_t kDrawsPerCandidate = 40;

// From 1; equal values share the mean of the ranks that they take.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); i++) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) end++;
    for (size_t i = begin; i < end; i++) ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
  }
  return ranks;
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double mean = static_cast<double>(a.size() + 1) / 2, both = 0, of_a = 0, of_b = 0;
  for (size_t i = 0; i < a.size(); i++) {
    both += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  if (of_a == 0 || of_b == 0) return std::nullopt;
  return both / std::sqrt(of_a * of_b);
}

// "stream", "stream in parts", "deferred or split".
std::string kind_of(const space::Plan& plan) {
  std::set<std::string> kinds;
  for (const space::SiteChoice& choice : plan.choices) {
    if (choice.directive.backend == space::Backend::Host) continue;
    bool in_parts = choice.directive.chunk_bytes != space::kWholeMessage;
    kinds.insert(concat(space::value_text(choice.directive, space::Dimension::Placement), in_parts ? " in parts" : ""));
  }
  return join(std::vector<std::string>(kinds.begin(), kinds.end()), " or ");
}

// Of all sizes of chunks only one is the whole message, so half of the draws are made to have it.
space::Plan drawn_plan(const PlanWriter& writer, bool whole, Random& random) {
  space::Plan plan = space::sample_plan(writer.sites(), writer.profile(), random);
  for (space::SiteChoice& choice : plan.choices)
    if (whole) choice.directive.chunk_bytes = space::kWholeMessage;
  return plan;
}

using Kinds = std::map<std::string, std::vector<store::Candidate>>;

Kinds drawn(const PlanWriter& writer, size_t draw_count, std::set<std::string>& texts, Random& random) {
  Kinds kinds;
  for (size_t i = 0; i < draw_count; i++) {
    space::Plan plan = drawn_plan(writer, i % 2 == 1, random);
    if (!space::check(writer.sites(), plan, writer.profile()).empty()) continue;
    Result<std::vector<SourceFile>> files = writer.write(plan);
    if (!files || !texts.insert(text_key(*files)).second) continue;
    store::Candidate candidate;
    candidate.proposer = "sample";
    candidate.plan = space::to_text(plan);
    candidate.files = *std::move(files);
    kinds[kind_of(plan)].push_back(std::move(candidate));
  }
  return kinds;
}

}  // namespace

std::optional<double> median_error_percent(const std::vector<TimePair>& pairs) {
  if (pairs.empty()) return std::nullopt;
  std::vector<double> errors;
  for (const TimePair& pair : pairs) errors.push_back(std::abs(pair.error_percent()));
  return median(std::move(errors));
}

std::optional<double> rank_correlation(const std::vector<TimePair>& pairs) {
  std::vector<double> predicted, measured;
  for (const TimePair& pair : pairs) {
    predicted.push_back(pair.virtual_us);
    measured.push_back(pair.gpu_us);
  }
  return correlation(ranks_of(predicted), ranks_of(measured));
}

std::vector<store::Candidate> sampled_candidates(const PlanWriter& writer, size_t count, Random random) {
  std::vector<store::Candidate> chosen = writer.fast_paths();
  if (chosen.size() > count) chosen.resize(count);
  std::set<std::string> texts;
  for (const store::Candidate& candidate : chosen) texts.insert(text_key(candidate.files));
  Kinds kinds = drawn(writer, kDrawsPerCandidate * count, texts, random);
  // One of each kind in turn, so that the common kinds do not crowd out the rare ones.
  for (size_t round = 0, added = 1; added > 0 && chosen.size() < count; round++) {
    added = 0;
    for (const auto& [kind, candidates] : kinds)
      if (round < candidates.size() && chosen.size() < count) {
        chosen.push_back(candidates[round]);
        added++;
      }
  }
  return chosen;
}

}  // namespace cuco::evolve
