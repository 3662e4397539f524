// The directions in which two plans can differ: the five dimensions of a directive and the five values of the schedule.
// Archive, lessons and rules all speak about these.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "space/plan.h"

namespace cuco::evolve {

enum class Axis : uint8_t { Backend, Placement, Sync, Issuer, Chunk, Streams, Order, Ctas, Priority, Waits };
inline constexpr size_t kAxisCount = 10;
inline constexpr std::array<Axis, kAxisCount> kAxes = {Axis::Backend,  Axis::Placement, Axis::Sync,  Axis::Issuer,
                                                       Axis::Chunk,    Axis::Streams,   Axis::Order, Axis::Ctas,
                                                       Axis::Priority, Axis::Waits};

std::string_view name_of(Axis axis);

// The first five are the dimensions of a directive, in the same order.
inline bool is_of_schedule(Axis axis) { return axis >= Axis::Streams; }
inline space::Dimension dimension_of(Axis axis) { return static_cast<space::Dimension>(axis); }

// Those in which the plans differ at any site, in the order of kAxes.
std::vector<Axis> differing_axes(const space::Plan& a, const space::Plan& b);

// One choice of a plan: "placement stream" at a site, or "order remote-first" of the schedule.
struct Trait {
  Axis axis = Axis::Backend;
  std::string site;  // Empty for the schedule.
  std::string value;

  bool operator==(const Trait&) const = default;
  auto operator<=>(const Trait&) const = default;
};

std::vector<Trait> traits_of(const space::Plan& plan);
std::string to_text(const Trait& trait);  // "placement stream at s1".

std::string schedule_value(const space::Schedule& schedule, Axis axis);

}  // namespace cuco::evolve
