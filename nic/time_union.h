// How much time some stretches cover together, counted once where they overlap. They come in the order of their ends,
// as deliveries do; a stretch that reaches back further than the last few hundred may be counted twice in part, never
// left out.
#pragma once

#include <cstdint>
#include <deque>

namespace cuco::nic {

class TimeUnion {
 public:
  // Returns by how much the covered time grows.
  int64_t add(int64_t begin_ns, int64_t end_ns);

 private:
  struct Stretch {
    int64_t begin_ns;
    int64_t end_ns;
  };
  std::deque<Stretch> recent_;  // Disjoint, in order.
};

}  // namespace cuco::nic
