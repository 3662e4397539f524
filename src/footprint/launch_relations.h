// What the numbers of the launches at one place have to do with each other, from traced runs: those among the arguments
// and the extents of the grid. Where a number was the same product of others in every launch that was traced, such as
// always 1 or always n / 32, it has to be so when the program runs; else the trace says nothing about the launch.
// Numbers that no others explain are free.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "footprint/symbols.h"
#include "model/access_trace.h"

namespace cuco::footprint {

// A number of a launch.
struct LaunchNumber {
  uint32_t parameter = 0, field = 0;  // As model::TracedNumber has them.
  int dimension = -1;                 // From 0 on: no argument, but this extent of the grid.

  bool operator==(const LaunchNumber&) const = default;
};

using Term = Product<LaunchNumber>;

struct Relation {
  LaunchNumber number;
  Term value;

  bool operator==(const Relation&) const = default;
};

// Which launches are like the traced ones.
struct LaunchGuard {
  std::array<uint32_t, 3> grid = {}, block = {};  // 0: extents may differ, or follow by a relation.
  std::vector<Relation> relations = {};

  bool operator==(const LaunchGuard&) const = default;
};

// One value for each launch; none: the launch says nothing.
using LaunchValues = std::vector<std::optional<int64_t>>;

class LaunchRelations {
 public:
  // Of launches with the same numbers of arguments; of the grid the extents of these dimensions.
  LaunchRelations(const std::vector<const model::TracedLaunch*>& launches, const std::vector<int>& dimensions);

  // What gives these values by free numbers.
  std::optional<Term> explain(const LaunchValues& values) const;
  // Extents that were always the same, and all the other relations.
  LaunchGuard guard(const std::array<uint32_t, 3>& block) const;

 private:
  void add(const LaunchNumber& number, const std::vector<int64_t>& values);

  std::vector<LaunchNumber> free_;
  std::vector<Symbols> values_;  // Of the free ones, by launch.
  std::vector<Relation> relations_;
};

// Of the whole grid. The extent that is cut explains the least, since any run of units may be launched, and comes last.
LaunchRelations relations_of(const std::vector<const model::TracedLaunch*>& launches, int cut_dimension);

template <typename Sample>
std::vector<const model::TracedLaunch*> launches_of(const std::vector<Sample>& samples) {
  std::vector<const model::TracedLaunch*> launches;
  for (const Sample& sample : samples) launches.push_back(sample.launch);
  return launches;
}

constexpr size_t kFurtherMin = 2;  // Launches that differ from those of the first run, for a form to hold for others.

// Further launches that differ from all of `own` and from each other.
size_t count_others(const std::vector<const model::TracedLaunch*>& own,
                    const std::vector<const model::TracedLaunch*>& further);

// Whether all have the same arguments, by parameter and field; and blocks of as many threads.
bool have_same_arguments(const std::vector<const model::TracedLaunch*>& launches);
bool can_be_compared(const std::vector<const model::TracedLaunch*>& launches);

}  // namespace cuco::footprint
