// What each part of the search is worth: with it and without it, on equal budget, over many seeds. The landscapes are
// synthetic (testing/plan_landscape.h): cost terms of hardware profiles, not programs, since some ten thousand real
// evaluations would take days. So the table says how the parts of the search compare, not how fast programs become.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/text.h"
#include "evolve/course.h"
#include "evolve/proposers/rules.h"
#include "space/fast_path.h"
#include "space/fixtures.h"
#include "testing/plan_landscape.h"

namespace cuco::evolve {
namespace {

using ::cuco::testing::LandscapeEvaluator;
using ::cuco::testing::PlanLandscape;

struct Variant {
  const char* name;
  std::function<void(SearchOptions&)> change;
  bool fast_path = true;
  bool climbs = true;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"everything", [](SearchOptions&) {}},
      {"single phase", [](SearchOptions& options) { options.two_phase = false; }},
      {"no archive", [](SearchOptions& options) { options.archive = false; }},
      {"one island", [](SearchOptions& options) { options.islands = 1; }},
      {"no fast path", [](SearchOptions&) {}, false},
      {"uniform order of axes", [](SearchOptions& options) { options.learned_order = false; }},
      {"no refining of the best", [](SearchOptions&) {}, true, false},
      {"weighted parents", [](SearchOptions& options) { options.selection = Selection::Weighted; }},
      {"beam parents", [](SearchOptions& options) { options.selection = Selection::Beam; }},
      {"uniform parents", [](SearchOptions& options) { options.selection = Selection::Uniform; }},
  };
  return all;
}

struct Landscape {
  const char* name;
  PlanLandscape plans;
};

model::HardwareProfile costed(model::HardwareProfile profile) {
  profile.latencies = {5, 1, 5, 2, 10, 1};
  return profile;
}

std::vector<Landscape> landscapes() {
  std::vector<space::SiteFacts> mixed = {space::test_site("s1"), space::test_site("s2"), space::test_site("s3")};
  mixed[1].message_bytes = 1 << 20;
  mixed[2].overlap_count = 0;
  std::vector<space::SiteFacts> many;
  for (int i = 1; i <= 6; ++i) {
    many.push_back(space::test_site(concat("s", i)));
    many.back().message_bytes = uint64_t{1} << (16 + 2 * i);
    many.back().overlap_count = i % 2;
  }
  return {{"1 site, 4 ranks on 1 node", PlanLandscape({space::test_site()}, costed(space::nvlink_box()))},
          {"3 sites, 2 nodes of 4", PlanLandscape(mixed, costed(space::two_nodes_of_four()))},
          {"6 sites, 2 nodes of 4", PlanLandscape(many, costed(space::two_nodes_of_four()))}};
}

store::Candidate candidate_for(const PlanLandscape& landscape, const space::Plan& plan, const char* proposer) {
  store::Candidate candidate;
  candidate.plan = space::to_text(plan);
  candidate.files = landscape.write(plan).value();
  candidate.proposer = proposer;
  return candidate;
}

space::Plan host_plan(const PlanLandscape& landscape) {
  space::Plan plan;
  for (const space::SiteFacts& site : landscape.sites()) plan.choices.push_back({site.name, {}});
  return plan;
}

struct Run {
  double best_us = 0;
  uint32_t evaluations_to_best = 0;
};

SearchInput input_for(const PlanLandscape& landscape, const Variant& variant, const SearchOptions& options,
                      bool ideas) {
  SearchInput input;
  input.options = options;
  variant.change(input.options);
  RulesInput rules;
  rules.sites = landscape.sites();
  rules.profile = landscape.profile();
  rules.fast_path = space::fast_path_plan(rules.sites, rules.profile);
  rules.write = [&landscape](const space::Plan& plan) { return landscape.write(plan); };
  rules.learned_order = input.options.learned_order;
  rules.ideas = ideas;
  rules.climbs = variant.climbs;
  input.baseline = candidate_for(landscape, host_plan(landscape), "baseline");
  if (variant.fast_path) input.first = {candidate_for(landscape, rules.fast_path, "fast-path")};
  input.proposers.push_back({std::make_unique<RulesProposer>(std::move(rules)), {}});
  return input;
}

Run run(const PlanLandscape& landscape, const Variant& variant, const SearchOptions& options, bool ideas) {
  LandscapeEvaluator evaluator(landscape);
  SearchInput input = input_for(landscape, variant, options, ideas);
  input.evaluator = &evaluator;
  Course course(input);
  Run result;
  for (;;) {
    Result<std::optional<store::Step>> step = course.next();
    CUCO_ASSERT(step.ok());
    if (!*step) return result;
    course.add(**step);
    double best_us = course.ledger().standing().best->verdict.timing->median_us;
    if (result.best_us != 0 && best_us >= result.best_us) continue;
    result = {best_us, course.ledger().evaluation_count()};
  }
}

struct Spread {
  double mean = 0, deviation = 0, least = 0, most = 0;
};

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  for (double value : values) spread.mean += value / static_cast<double>(values.size());
  for (double value : values) spread.deviation += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(spread.deviation / static_cast<double>(values.size()));
  spread.least = std::ranges::min(values);
  spread.most = std::ranges::max(values);
  return spread;
}

void print_row(const PlanLandscape& landscape, const Variant& variant, SearchOptions options, uint64_t seeds,
               bool ideas) {
  double baseline_us = landscape.time_us(host_plan(landscape));
  std::vector<double> speedups, evaluations;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    Run result = run(landscape, variant, options, ideas);
    speedups.push_back(baseline_us / result.best_us);
    evaluations.push_back(result.evaluations_to_best);
  }
  Spread speedup = spread_of(speedups), when = spread_of(evaluations);
  std::printf("| %-23s | %.4f +- %.4f | %.4f .. %.4f | %4.1f +- %4.1f |\n", variant.name, speedup.mean,
              speedup.deviation, speedup.least, speedup.most, when.mean, when.deviation);
}

void print_table(const Landscape& landscape, const SearchOptions& options, uint64_t seeds, bool ideas) {
  std::printf("\nSynthetic landscape: %s; %s\n\n", landscape.name,
              ideas ? "beginning with the expert's ideas" : "without the expert's ideas");
  std::printf("| search                  | speed-up, mean +- deviation | least .. most | evaluations to its best |\n");
  std::printf("|---|---|---|---|\n");
  for (const Variant& variant : variants()) print_row(landscape.plans, variant, options, seeds, ideas);
}

int run_all(int argument_count, char** arguments) {
  uint64_t seeds = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 20;
  SearchOptions options;
  options.budget_evaluations = argument_count > 2 ? static_cast<uint32_t>(std::strtoul(arguments[2], nullptr, 10)) : 60;
  options.plateau = 0;      // Equal budgets.
  options.bound_share = 2;  // No early end.
  if (seeds == 0 || options.budget_evaluations == 0) {
    std::fprintf(stderr, "usage: ablation [SEEDS [BUDGET]], both at least 1\n");
    return 2;
  }
  std::printf("%llu seeds, %u evaluations each\n", static_cast<unsigned long long>(seeds), options.budget_evaluations);
  std::vector<Landscape> all = landscapes();
  for (bool ideas : {true, false})
    for (const Landscape& landscape : all) print_table(landscape, options, seeds, ideas);
  return 0;
}

}  // namespace
}  // namespace cuco::evolve

int main(int argument_count, char** arguments) { return cuco::evolve::run_all(argument_count, arguments); }
