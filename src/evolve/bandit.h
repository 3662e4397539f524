// Which proposer of an island is asked next: the one whose proposals gain most for what they cost, with a bonus for
// those that were rarely tried (UCB1).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cuco::evolve {

class Bandit {
 public:
  // `gain`: by which share the score rose over that of the parent; 0 for no gain or a failure.
  void record(const std::string& arm, double gain, double cost_usd);

  // The given arms, the most promising first. Those never tried come before all others, in the given order.
  std::vector<std::string> order(const std::vector<std::string>& arms) const;

 private:
  struct Record {
    double gain = 0, cost = 0;
    uint32_t pulls = 0;
  };

  double rate(const std::string& arm) const;

  std::map<std::string, Record> records_;
};

}  // namespace cuco::evolve
