// Which axis of the design space is worth a move: what the critical path of the parent says, and what moves along each
// axis have gained so far in this campaign.
#pragma once

#include <array>

#include "evolve/axes.h"
#include "evolve/proposer.h"

namespace cuco::evolve {

using AxisWeights = std::array<double, kAxisCount>;

class AxisLearning {
 public:
  // Takes in what has been judged since the last call.
  void catch_up(const std::vector<Member>& members);

  AxisWeights weights(const Member& parent) const;

 private:
  struct Record {
    double gain = 0;  // Sum of the logarithms of speed-ups over parents, shared among the axes of a move.
    double trials = 0;
  };

  void learn(const Member& member, const Member& parent);

  std::array<Record, kAxisCount> records_{};
  size_t known_count_ = 0;
};

}  // namespace cuco::evolve
