#include "space/enumerate.h"

#include <algorithm>
#include <array>

#include "space/plan_legality.h"

namespace cuco::space {
namespace {

// Only programs with dozens of sites of huge messages fail even a few times; their host calls need no signals.
constexpr int kDrawsMax = 1000;

// A rule is asked as soon as the last dimension that it looks at has its value: most backends fall at the first level.
class Walk {
 public:
  Walk(const SiteFacts& site, const model::HardwareProfile& profile) : site_(site), profile_(profile) {
    for (const Rule& rule : site_rules()) rules_[static_cast<size_t>(rule.dimensions.last())].push_back(&rule);
  }

  std::vector<Directive> run() {
    descend(0);
    return std::move(legal_);
  }

 private:
  void descend(size_t level) {
    if (level == kDimensionCount) {
      legal_.push_back(directive_);
      return;
    }
    for (size_t value = 0; value < value_count(kDimensions[level]); ++value) {
      set_value(directive_, kDimensions[level], value);
      if (passes(level)) descend(level + 1);
    }
  }

  bool passes(size_t level) const {
    return std::ranges::none_of(rules_[level], [&](const Rule* rule) {
      return rule->objection({site_, directive_, profile_}).has_value();
    });
  }

  const SiteFacts& site_;
  const model::HardwareProfile& profile_;
  std::array<std::vector<const Rule*>, kDimensionCount> rules_;
  Directive directive_;
  std::vector<Directive> legal_;
};

// Of `choices`, those that can be the other end of `directive`.
std::vector<Directive> agreeing(const std::vector<Directive>& choices, const Directive& directive) {
  std::vector<Directive> kept;
  std::ranges::copy_if(choices, std::back_inserter(kept),
                       [&](const Directive& choice) { return agree(choice, directive); });
  return kept;
}

// The sites of one exchange, each with its legal directives.
struct ExchangeChoices {
  std::vector<size_t> sites;
  std::vector<std::vector<Directive>> legal;  // By site.
  std::vector<Directive> first;               // Those of the first site that every other one can agree with.
};

std::vector<Directive> acceptable_to_all(const std::vector<std::vector<Directive>>& legal_by_site) {
  std::vector<Directive> kept;
  for (const Directive& first : legal_by_site.front()) {
    auto has_agreeing = [&](const std::vector<Directive>& choices) {
      return std::ranges::any_of(choices, [&](const Directive& choice) { return agree(choice, first); });
    };
    if (std::ranges::all_of(legal_by_site, has_agreeing)) kept.push_back(first);
  }
  return kept;
}

ExchangeChoices choices_of(const std::vector<size_t>& exchange, const std::vector<SiteFacts>& sites,
                           const model::HardwareProfile& profile) {
  ExchangeChoices choices{exchange, {}, {}};
  for (size_t site : exchange) choices.legal.push_back(legal_directives(sites[site], profile));
  choices.first = acceptable_to_all(choices.legal);
  return choices;
}

void sample_exchange(const ExchangeChoices& choices, Random& random, Plan& plan) {
  const Directive& first = random.pick(choices.first);
  plan.choices[choices.sites.front()].directive = first;
  for (size_t end = 1; end < choices.sites.size(); ++end)
    plan.choices[choices.sites[end]].directive = random.pick(agreeing(choices.legal[end], first));
}

Schedule sample_schedule(const Plan& plan, Random& random) {
  Schedule schedule;
  schedule.streams = static_cast<uint32_t>(random.below(plan.choices.size() + 1));
  schedule.order = static_cast<WorkOrder>(random.below(kWorkOrderCount));
  schedule.communication_ctas = 1u << random.below(6);
  schedule.priority = static_cast<StreamPriority>(random.below(3));
  return schedule;
}

Schedule mixed_schedule(const Schedule& a, const Schedule& b, Random& random) {
  Schedule schedule;
  schedule.streams = random.chance(0.5) ? a.streams : b.streams;
  schedule.order = random.chance(0.5) ? a.order : b.order;
  schedule.communication_ctas = random.chance(0.5) ? a.communication_ctas : b.communication_ctas;
  schedule.priority = random.chance(0.5) ? a.priority : b.priority;
  schedule.waits = a.waits == b.waits || random.chance(0.5) ? a.waits : b.waits;
  return schedule;
}

bool covers(const Plan& plan, const std::vector<SiteFacts>& sites, const std::vector<size_t>& exchange) {
  return std::ranges::all_of(exchange, [&](size_t site) { return find_directive(plan, sites[site].name) != nullptr; });
}

Plan default_plan(const std::vector<SiteFacts>& sites) {
  Plan plan;
  for (const SiteFacts& site : sites) plan.choices.push_back({site.name, {}});
  return plan;
}

}  // namespace

std::vector<std::vector<size_t>> exchanges_of(const std::vector<SiteFacts>& sites) {
  std::vector<std::vector<size_t>> exchanges;
  for (size_t site = 0; site < sites.size(); ++site) {
    auto same = std::ranges::find_if(exchanges, [&](const std::vector<size_t>& exchange) {
      return sites[exchange.front()].exchange == sites[site].exchange;
    });
    if (same == exchanges.end())
      exchanges.push_back({site});
    else
      same->push_back(site);
  }
  return exchanges;
}

std::vector<Directive> legal_directives(const SiteFacts& site, const model::HardwareProfile& profile) {
  return Walk(site, profile).run();
}

std::vector<Directive> neighbours(const SiteFacts& site, const Directive& directive,
                                  const model::HardwareProfile& profile) {
  std::vector<Directive> found;
  for (Dimension dimension : kDimensions) {
    for (size_t value = 0; value < value_count(dimension); ++value) {
      Directive changed = directive;
      set_value(changed, dimension, value);
      if (changed != directive && is_legal(site, changed, profile)) found.push_back(changed);
    }
  }
  return found;
}

Plan sample_plan(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile, Random& random) {
  std::vector<ExchangeChoices> all;
  for (const std::vector<size_t>& exchange : exchanges_of(sites)) all.push_back(choices_of(exchange, sites, profile));
  Plan plan = default_plan(sites);
  for (int attempt = 0; attempt < kDrawsMax; ++attempt) {
    for (const ExchangeChoices& choices : all) sample_exchange(choices, random, plan);
    plan.schedule = sample_schedule(plan, random);
    plan.schedule = fitted_schedule(sites, plan, profile);
    if (fits_signal_pool({sites, plan, profile})) return plan;
  }
  return default_plan(sites);
}

Plan crossover(const Plan& a, const Plan& b, const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile,
               Random& random) {
  Plan child = default_plan(sites);
  for (const std::vector<size_t>& exchange : exchanges_of(sites)) {
    const Plan& parent = random.chance(0.5) && covers(b, sites, exchange) ? b : a;
    for (size_t site : exchange)
      if (const Directive* directive = find_directive(parent, sites[site].name))
        child.choices[site].directive = *directive;
  }
  child.schedule = mixed_schedule(a.schedule, b.schedule, random);
  child.schedule = fitted_schedule(sites, child, profile);
  return fits_signal_pool({sites, child, profile}) ? child : a;
}

}  // namespace cuco::space
