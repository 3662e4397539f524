// A clock that passes only when somebody sleeps, and remembers each sleep.
#pragma once

#include <numeric>
#include <vector>

#include "llm/clock.h"

namespace cuco::testing {

class FakeClock : public llm::Clock {
 public:
  std::vector<int64_t> sleeps_ms;

  int64_t unix_ms() override { return start_ms + total_sleep_ms(); }
  void sleep_ms(int64_t duration_ms) override { sleeps_ms.push_back(duration_ms); }
  int64_t total_sleep_ms() const { return std::accumulate(sleeps_ms.begin(), sleeps_ms.end(), int64_t{0}); }

  int64_t start_ms = 1'440'938'160'000;  // 2015-08-30T12:36:00Z
};

}  // namespace cuco::testing
