#include "evolve/proposers/plan_space.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "space/distance.h"
#include "space/enumerate.h"
#include "space/plan_legality.h"

namespace cuco::evolve {
namespace {

using space::Directive;

// Where the size of a message is not known: far enough apart to give different numbers of parts.
constexpr std::array<uint64_t, 4> kCutsOfUnknown = {16 << 20, 1 << 20, 64 << 10, 4 << 10};

bool agree_in(const Directive& a, const Directive& b, const space::DimensionSet& dimensions) {
  return std::ranges::all_of(space::kDimensions, [&](space::Dimension dimension) {
    return !dimensions.contains(dimension) || space::value_text(a, dimension) == space::value_text(b, dimension);
  });
}

// Every combination of the first four dimensions with each of `chunks`.
std::vector<Directive> combinations(const std::vector<uint64_t>& chunks) {
  std::vector<Directive> all = {Directive{}};
  for (space::Dimension dimension : space::kDimensions) {
    std::vector<Directive> longer;
    bool is_chunk = dimension == space::Dimension::Chunk;
    size_t count = is_chunk ? chunks.size() : space::value_count(dimension);
    for (Directive directive : all) {
      for (size_t value = 0; value < count; ++value) {
        if (is_chunk)
          directive.chunk_bytes = chunks[value];
        else
          space::set_value(directive, dimension, value);
        longer.push_back(directive);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

PlanSpace::PlanSpace(std::vector<space::SiteFacts> sites, model::HardwareProfile profile, space::Plan fast_path,
                     WritePlan write)
    : sites_(std::move(sites)),
      profile_(std::move(profile)),
      fast_path_(std::move(fast_path)),
      write_(std::move(write)) {
  for (std::vector<size_t>& exchange : space::exchanges_of(sites_)) units_.push_back({std::move(exchange), {}, {}, {}});
  for (size_t unit = 0; unit < units_.size(); ++unit) units_[unit].legal = legal_directives(units_[unit]);
}

std::vector<uint64_t> PlanSpace::cuts(size_t unit) const {
  const std::optional<uint64_t>& message = sites_[units_[unit].sites.front()].message_bytes;
  if (!message) return {kCutsOfUnknown.begin(), kCutsOfUnknown.end()};
  std::vector<uint64_t> chunks;
  for (uint64_t parts : {2, 4, 8})
    if (uint64_t chunk = std::bit_floor(*message / parts); chunk >= space::kChunkBytesMin) chunks.push_back(chunk);
  return chunks;
}

bool PlanSpace::is_legal_everywhere(const Unit& unit, const Directive& directive) const {
  return std::ranges::all_of(unit.sites,
                             [&](size_t site) { return space::is_legal(sites_[site], directive, profile_); });
}

// Of the host's calls only the one that leaves the program as it is.
std::vector<Directive> PlanSpace::legal_directives(const Unit& unit) const {
  std::vector<uint64_t> chunks = cuts(static_cast<size_t>(&unit - units_.data()));
  chunks.insert(chunks.begin(), space::kWholeMessage);
  std::vector<Directive> legal = {Directive{}};
  for (const Directive& directive : combinations(chunks))
    if (directive.backend != space::Backend::Host && is_legal_everywhere(unit, directive)) legal.push_back(directive);
  return legal;
}

const Directive& PlanSpace::directive(const space::Plan& plan, size_t unit) const {
  const Directive* found = space::find_directive(plan, sites_[units_[unit].sites.front()].name);
  static const Directive kHost;
  return found != nullptr ? *found : kHost;
}

space::Plan PlanSpace::with(space::Plan plan, size_t unit, const Directive& directive) const {
  for (size_t site : units_[unit].sites)
    for (space::SiteChoice& choice : plan.choices)
      if (choice.site == sites_[site].name) choice.directive = directive;
  plan.schedule = space::fitted_schedule(sites_, plan, profile_);
  return plan;
}

bool PlanSpace::is_writable(size_t unit, const Directive& directive) {
  auto [known, asked_first] = units_[unit].writable.try_emplace(directive, false);
  if (asked_first) {
    space::Plan plan = with(fast_path_, unit, directive);
    known->second = is_legal(plan) && write_(plan).ok();
    // Parts that no kernel sends can still be awaited by those that read them.
    bool in_parts = directive.placement == space::Placement::Stream && directive.chunk_bytes != space::kWholeMessage;
    plan.schedule.waits = space::Waits::Blocks;
    if (!known->second && in_parts) known->second = is_legal(plan) && write_(plan).ok();
  }
  return known->second;
}

const std::vector<Directive>& PlanSpace::options(size_t unit) {
  std::optional<std::vector<Directive>>& options = units_[unit].options;
  if (options) return *options;
  auto class_of = [](const Directive& directive) { return std::pair(directive.backend, directive.placement); };
  std::set<std::pair<space::Backend, space::Placement>> writable;
  for (const Directive& directive : units_[unit].legal)
    if (!writable.contains(class_of(directive)) && is_writable(unit, directive)) writable.insert(class_of(directive));
  options.emplace();
  for (const Directive& directive : units_[unit].legal)
    if (directive.backend == space::Backend::Host || writable.contains(class_of(directive)))
      options->push_back(directive);
  return *options;
}

std::optional<Directive> PlanSpace::nearest(size_t unit, const Directive& wanted, const space::DimensionSet& required) {
  std::vector<Directive> fitting;
  for (const Directive& option : options(unit))
    if (agree_in(option, wanted, required)) fitting.push_back(option);
  std::ranges::stable_sort(fitting, {}, [&](const Directive& option) { return space::distance(option, wanted); });
  auto found = std::ranges::find_if(fitting, [&](const Directive& option) { return is_writable(unit, option); });
  if (found == fitting.end()) return std::nullopt;
  return *found;
}

bool PlanSpace::is_legal(const space::Plan& plan) const { return space::check(sites_, plan, profile_).empty(); }

}  // namespace cuco::evolve
