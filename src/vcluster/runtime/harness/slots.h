// What a program uses to tell its calls apart, by address: signals, barriers, flags in windows, what puts write to, and
// pages of windows that kernels touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace cuco::vcluster {

class Slots {
 public:
  // Whether none of the bytes was used before; from here on all of them were.
  bool use(uintptr_t begin, size_t bytes);

 private:
  std::map<uintptr_t, uintptr_t> used_;  // End by begin; disjoint, with gaps between them.
};

}  // namespace cuco::vcluster
