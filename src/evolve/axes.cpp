#include "evolve/axes.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::evolve {
namespace {

constexpr std::array<std::string_view, kAxisCount> kNames = {"backend", "placement", "sync", "issuer",   "chunk",
                                                             "streams", "order",     "ctas", "priority", "waits"};

bool differs(const space::Plan& a, const space::Plan& b, Axis axis) {
  if (is_of_schedule(axis)) return schedule_value(a.schedule, axis) != schedule_value(b.schedule, axis);
  return std::ranges::any_of(a.choices, [&](const space::SiteChoice& choice) {
    const space::Directive* other = space::find_directive(b, choice.site);
    return other != nullptr &&
           space::value_text(choice.directive, dimension_of(axis)) != space::value_text(*other, dimension_of(axis));
  });
}

}  // namespace

std::string_view name_of(Axis axis) { return kNames[static_cast<size_t>(axis)]; }

std::vector<Axis> differing_axes(const space::Plan& a, const space::Plan& b) {
  std::vector<Axis> axes;
  std::ranges::copy_if(kAxes, std::back_inserter(axes), [&](Axis axis) { return differs(a, b, axis); });
  return axes;
}

// The text form names every value of the schedule as key=word, in the order of the axes, but for a last one that is the
// default.
std::string schedule_value(const space::Schedule& schedule, Axis axis) {
  CUCO_ASSERT(is_of_schedule(axis));
  std::string text = space::to_text(schedule);
  size_t key = text.find(concat(" ", name_of(axis), "="));
  if (axis == Axis::Waits && key == std::string::npos) return "stream";
  CUCO_ASSERT(key != std::string::npos);
  size_t begin = text.find('=', key) + 1;
  return text.substr(begin, text.find(' ', begin) - begin);
}

std::vector<Trait> traits_of(const space::Plan& plan) {
  std::vector<Trait> traits;
  for (const space::SiteChoice& choice : plan.choices)
    for (space::Dimension dimension : space::kDimensions)
      traits.push_back({static_cast<Axis>(dimension), choice.site, space::value_text(choice.directive, dimension)});
  for (Axis axis : kAxes)
    if (is_of_schedule(axis)) traits.push_back({axis, {}, schedule_value(plan.schedule, axis)});
  return traits;
}

std::string to_text(const Trait& trait) {
  std::string text = concat(name_of(trait.axis), " ", trait.value);
  return trait.site.empty() ? text : concat(text, " at ", trait.site);
}

}  // namespace cuco::evolve
