// Who becomes a parent. Each way of selecting is a list of weights over members that are ranked best first; a draw
// follows the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace cuco::evolve {

enum class Selection : uint8_t {
  Weighted,  // sigmoid(pressure (score - median) / MAD) / (1 + children): good ones, but not the same one for ever.
  PowerLaw,  // 1 / rank.
  Beam,      // Of the best few the one with the fewest children.
  Uniform,
};

inline constexpr size_t kBeamWidth = 4;

struct Contender {
  double score = 0;
  uint32_t children = 0;
};

// `ranked` has the highest score first. One weight each; their sum is positive when there is anyone.
std::vector<double> selection_weights(Selection selection, const std::vector<Contender>& ranked, double pressure);

// An index, with a chance in proportion to its weight. Needs a positive sum.
size_t draw_by_weight(const std::vector<double>& weights, Random& random);

}  // namespace cuco::evolve
