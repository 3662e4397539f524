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

namespace cuco::rewrite {

// A number of a launch.
struct LaunchNumber {
  uint32_t parameter = 0, field = 0;  // As model::TracedNumber has them.
  int dimension = -1;                 // From 0 on: no argument, but this extent of the grid.

  bool operator==(const LaunchNumber&) const = default;
};

// numerator / denominator x factors / divisor.
struct Term {
  int64_t numerator = 0, denominator = 1;
  std::vector<LaunchNumber> factors = {};
  std::optional<LaunchNumber> divisor = {};

  bool is_whole() const { return denominator == 1 && !divisor; }
  bool is_constant() const { return factors.empty() && is_whole(); }
  bool operator==(const Term&) const = default;
};

struct Relation {
  LaunchNumber number;
  Term value;

  bool operator==(const Relation&) const = default;
};

class LaunchRelations {
 public:
  // Of launches with the same numbers of arguments; of the grid the extents of these dimensions.
  LaunchRelations(const std::vector<const model::TracedLaunch*>& launches, const std::vector<int>& dimensions);

  const std::vector<Relation>& relations() const { return relations_; }
  // What gives these values, one for each launch, by free numbers; a launch without a value says nothing.
  std::optional<Term> explain(const std::vector<std::optional<int64_t>>& values) const;

 private:
  void add(const LaunchNumber& number, const std::vector<int64_t>& values);

  std::vector<LaunchNumber> free_;
  std::vector<footprint::Symbols> values_;  // Of the free ones, by launch.
  std::vector<Relation> relations_;
};

// Of the whole grid. The extent that is cut explains the least, since any run of units may be launched, and comes last.
LaunchRelations relations_of(const std::vector<const model::TracedLaunch*>& launches, int cut_dimension);

// Extents that were always the same; 0 for others. And all the other relations.
std::array<uint32_t, 3> constant_extents(const LaunchRelations& relations);
std::vector<Relation> other_relations(const LaunchRelations& relations);

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

// Whether all have the same arguments, by parameter and field.
bool have_same_arguments(const std::vector<const model::TracedLaunch*>& launches);

}  // namespace cuco::rewrite
