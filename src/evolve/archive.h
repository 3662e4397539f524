// The best member of every kind: a map whose cells are combinations of design-space values (MAP-Elites). A cell says
// which values of each dimension occur at any site, so programs with many sites do not have more kinds than can be
// kept. When there are more cells than fit, the slowest one goes.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "space/plan.h"

namespace cuco::evolve {

// Per dimension a set of values as bits, then the order of work and the doublings of the communication CTAs. Chunks are
// whole, or small, middle and large cuts.
using Cell = std::array<uint16_t, space::kDimensionCount + 2>;
Cell cell_of(const space::Plan& plan);

class Archive {
 public:
  explicit Archive(size_t capacity) : capacity_(capacity) {}

  // True when the member is kept: the first of its cell, or better than who held it.
  bool add(size_t member, double score, const space::Plan& plan);

  // Up to `count` different members other than `without`, each equally likely.
  std::vector<size_t> sample(size_t count, size_t without, Random& random) const;
  std::vector<size_t> members() const;  // In the order of the cells.

 private:
  struct Elite {
    size_t member = 0;
    double score = 0;
  };

  void drop_slowest();

  size_t capacity_;
  std::map<Cell, Elite> elites_;
};

}  // namespace cuco::evolve
