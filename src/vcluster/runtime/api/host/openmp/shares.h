// Which iterations of a loop a thread of a team gets. Iterations are counted from 0; a loop of `count` iterations is
// shared by `threads`.
#pragma once

#include <cstdint>

namespace cuco::vcluster::openmp {

enum class Schedule : uint8_t { Static, StaticChunks, Dynamic, Guided };

struct Share {
  uint64_t begin = 0, end = 0;  // Empty where they are equal.

  bool operator==(const Share&) const = default;
};

// The loop in equal parts, one a thread; the first threads have one iteration more where they do not come out even.
Share static_share(uint64_t count, uint64_t threads, uint64_t thread);

// How far iterations have been given out; for StaticChunks and Static each thread has its own.
struct Progress {
  uint64_t given = 0;
};

// The next part for the thread; empty at the end of the loop.
Share next_share(Schedule schedule, uint64_t count, uint64_t chunk, uint64_t threads, uint64_t thread,
                 Progress& progress);

// Of a loop from `first` to `last`, both included, in steps of `step`, which is not 0.
template <typename Integer>
uint64_t iteration_count(Integer first, Integer last, int64_t step) {
  if (step > 0 ? first > last : first < last) return 0;
  uint64_t span = step > 0 ? static_cast<uint64_t>(last) - static_cast<uint64_t>(first)
                           : static_cast<uint64_t>(first) - static_cast<uint64_t>(last);
  uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return span / stride + 1;
}

}  // namespace cuco::vcluster::openmp
