// What the virtual clock is worth: its times of a set of programs beside measured ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "evolve/plan_writer.h"
#include "store/records.h"

namespace cuco::evolve {

struct TimePair {
  double virtual_us = 0, gpu_us = 0;

  double error_percent() const { return 100 * (virtual_us - gpu_us) / gpu_us; }  // Negative: predicted too fast.
};

// Of the absolute errors in percent; none without pairs.
std::optional<double> median_error_percent(const std::vector<TimePair>& pairs);

// Spearman's: the correlation of ranks, equal times sharing the mean of theirs. None where one side is all equal.
std::optional<double> rank_correlation(const std::vector<TimePair>& pairs);

// Plans with their programs, in a mix that has every kind there is: by placement, and whether messages go in parts.
// Fast paths come first; the rest is sampled, each text once.
std::vector<store::Candidate> sampled_candidates(const PlanWriter& writer, size_t count, Random random);

}  // namespace cuco::evolve
