#include "evolve/proposers/plan_moves.h"

#include <algorithm>

#include "space/plan_legality.h"

namespace cuco::evolve {
namespace {

using space::Directive;
using space::Plan;
using space::Schedule;

constexpr std::array<uint32_t, 6> kCtaLadder = {2, 4, 8, 16, 32, 64};
constexpr std::array<Axis, kAxisCount> kRefiningOrder = {Axis::Chunk,     Axis::Ctas,   Axis::Priority, Axis::Waits,
                                                         Axis::Order,     Axis::Issuer, Axis::Sync,     Axis::Streams,
                                                         Axis::Placement, Axis::Backend};

Directive with_value_of(Directive directive, const Directive& other, space::Dimension dimension) {
  switch (dimension) {
    case space::Dimension::Backend:
      directive.backend = other.backend;
      break;
    case space::Dimension::Placement:
      directive.placement = other.placement;
      break;
    case space::Dimension::Sync:
      directive.sync = other.sync;
      break;
    case space::Dimension::Issuer:
      directive.issuer = other.issuer;
      break;
    case space::Dimension::Chunk:
      directive.chunk_bytes = other.chunk_bytes;
      break;
  }
  return directive;
}

Plan with_schedule(const PlanSpace& plan_space, Plan plan, const Schedule& schedule) {
  plan.schedule = schedule;
  plan.schedule = space::fitted_schedule(plan_space.sites(), plan, plan_space.profile());
  return plan;
}

std::vector<Schedule> schedules_along(const PlanSpace& plan_space, const Schedule& schedule, Axis axis) {
  std::vector<Schedule> all;
  auto add = [&](auto member, auto value) {
    all.push_back(schedule);
    all.back().*member = value;
  };
  if (axis == Axis::Streams)
    for (uint32_t streams = 1; streams <= plan_space.sites().size(); ++streams) add(&Schedule::streams, streams);
  if (axis == Axis::Ctas)
    for (uint32_t ctas : kCtaLadder) add(&Schedule::communication_ctas, ctas);
  for (uint8_t value = 0; value < space::kWorkOrderCount; ++value)
    if (axis == Axis::Order) add(&Schedule::order, static_cast<space::WorkOrder>(value));
  for (uint8_t value = 0; value < 3; ++value)
    if (axis == Axis::Priority) add(&Schedule::priority, static_cast<space::StreamPriority>(value));
  for (space::Waits value : {space::Waits::Stream, space::Waits::Blocks})
    if (axis == Axis::Waits) add(&Schedule::waits, value);
  return all;
}

// Plans that differ from this one in the schedule's value on the axis.
std::vector<Plan> rescheduled(const PlanSpace& plan_space, const Plan& plan, Axis axis) {
  std::vector<Plan> plans;
  for (const Schedule& schedule : schedules_along(plan_space, plan.schedule, axis))
    if (Plan other = with_schedule(plan_space, plan, schedule); other != plan) plans.push_back(std::move(other));
  return plans;
}

// For every other value of the dimension an option that has it, changed as little as possible besides.
std::vector<Directive> values_along(PlanSpace& plan_space, size_t unit, const Directive& directive,
                                    space::Dimension dimension) {
  std::vector<Directive> found;
  std::vector<std::string> seen = {space::value_text(directive, dimension)};
  for (const Directive& option : plan_space.options(unit)) {
    std::string value = space::value_text(option, dimension);
    if (std::ranges::find(seen, value) != seen.end()) continue;
    seen.push_back(value);
    Directive wanted = directive;
    if (directive.backend == space::Backend::Host) wanted = option;
    wanted = with_value_of(wanted, option, dimension);
    if (std::optional<Directive> nearest = plan_space.nearest(unit, wanted, {dimension})) found.push_back(*nearest);
  }
  return found;
}

// The directive at its unit, and its value of the dimension at all others that can follow.
Plan with_everywhere(PlanSpace& plan_space, Plan plan, size_t first, const Directive& chosen,
                     space::Dimension dimension) {
  plan = plan_space.with(std::move(plan), first, chosen);
  for (size_t unit = 0; unit < plan_space.unit_count(); ++unit) {
    Directive wanted = with_value_of(plan_space.directive(plan, unit), chosen, dimension);
    if (unit == first || wanted.backend == space::Backend::Host) continue;
    if (std::optional<Directive> nearest = plan_space.nearest(unit, wanted, {dimension}))
      plan = plan_space.with(std::move(plan), unit, *nearest);
  }
  return plan;
}

std::optional<Plan> moved_units(PlanSpace& plan_space, Plan plan, Axis axis, bool everywhere, Random& random) {
  space::Dimension dimension = dimension_of(axis);
  size_t first = random.below(plan_space.unit_count());
  std::vector<Directive> values = values_along(plan_space, first, plan_space.directive(plan, first), dimension);
  if (values.empty()) return std::nullopt;
  const Directive& chosen = random.pick(values);
  if (!everywhere) return plan_space.with(std::move(plan), first, chosen);
  return with_everywhere(plan_space, std::move(plan), first, chosen, dimension);
}

// How many times one size is the other; whole messages are larger than any part.
double ratio(uint64_t a, uint64_t b) {
  double x = a == space::kWholeMessage ? 1e18 : static_cast<double>(a);
  double y = b == space::kWholeMessage ? 1e18 : static_cast<double>(b);
  return std::max(x, y) / std::min(x, y);
}

// The first unit that leaves the host decides which values there are.
std::vector<Plan> refined_units(PlanSpace& plan_space, const Plan& plan, Axis axis) {
  size_t first = 0;
  while (first + 1 < plan_space.unit_count() && plan_space.directive(plan, first).backend == space::Backend::Host)
    ++first;
  const Directive& directive = plan_space.directive(plan, first);
  std::vector<Directive> values = values_along(plan_space, first, directive, dimension_of(axis));
  if (axis == Axis::Chunk)
    std::ranges::stable_sort(values, {},
                             [&](const Directive& value) { return ratio(value.chunk_bytes, directive.chunk_bytes); });
  std::vector<Plan> plans;
  for (const Directive& value : values)
    plans.push_back(with_everywhere(plan_space, plan, first, value, dimension_of(axis)));
  return plans;
}

std::vector<Plan> refined_schedule(const PlanSpace& plan_space, const Plan& plan, Axis axis) {
  std::vector<Plan> plans = rescheduled(plan_space, plan, axis);
  if (axis == Axis::Ctas)
    std::ranges::stable_sort(plans, {}, [&](const Plan& other) {
      return ratio(other.schedule.communication_ctas, std::max(plan.schedule.communication_ctas, 1u));
    });
  return plans;
}

}  // namespace

std::optional<Plan> moved(PlanSpace& plan_space, const Plan& plan, Axis axis, bool everywhere, Random& random) {
  if (!is_of_schedule(axis)) return moved_units(plan_space, plan, axis, everywhere, random);
  std::vector<Plan> plans = rescheduled(plan_space, plan, axis);
  if (plans.empty()) return std::nullopt;
  return random.pick(plans);
}

std::vector<Plan> neighbours(PlanSpace& plan_space, const Plan& plan) {
  std::vector<Plan> found;
  for (Axis axis : kAxes) {
    if (is_of_schedule(axis)) {
      std::ranges::move(rescheduled(plan_space, plan, axis), std::back_inserter(found));
      continue;
    }
    for (size_t unit = 0; unit < plan_space.unit_count(); ++unit)
      for (const Directive& directive :
           values_along(plan_space, unit, plan_space.directive(plan, unit), dimension_of(axis)))
        found.push_back(plan_space.with(plan, unit, directive));
  }
  return found;
}

std::vector<Plan> refinements(PlanSpace& plan_space, const Plan& plan) {
  std::vector<std::vector<Plan>> by_axis;
  size_t longest = 0;
  for (Axis axis : kRefiningOrder) {
    by_axis.push_back(is_of_schedule(axis) ? refined_schedule(plan_space, plan, axis)
                                           : refined_units(plan_space, plan, axis));
    longest = std::max(longest, by_axis.back().size());
  }
  std::vector<Plan> found;
  for (size_t rank = 0; rank < longest; ++rank)
    for (const std::vector<Plan>& plans : by_axis)
      if (rank < plans.size()) found.push_back(plans[rank]);
  return found;
}

Plan sampled(PlanSpace& plan_space, Random& random) {
  Plan plan = plan_space.fast_path();
  for (size_t unit = 0; unit < plan_space.unit_count(); ++unit) {
    Directive wanted = random.pick(plan_space.options(unit));
    space::DimensionSet required = {space::Dimension::Backend, space::Dimension::Placement};
    if (std::optional<Directive> nearest = plan_space.nearest(unit, wanted, required))
      plan = plan_space.with(std::move(plan), unit, *nearest);
  }
  Schedule schedule;
  schedule.streams = static_cast<uint32_t>(random.below(plan.choices.size() + 1));
  schedule.order = static_cast<space::WorkOrder>(random.below(space::kWorkOrderCount));
  schedule.communication_ctas = kCtaLadder[random.below(kCtaLadder.size())];
  schedule.priority = static_cast<space::StreamPriority>(random.below(3));
  return with_schedule(plan_space, plan, schedule);
}

}  // namespace cuco::evolve
