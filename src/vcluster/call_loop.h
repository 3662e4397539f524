// How a run that verifies calls the region: in a loop, as programs do, and ranks do not meet between calls.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

struct CallLoop {
  uint32_t calls = 0;      // At least so many; 0: the run is timed, and ranks meet before and after every call.
  uint32_t calls_max = 0;  // More are made, up to these, until signals, barriers and slots of windows have come round.
  // So many are enough where they do a great deal of work, else kFewCalls where these do; 0: none is too large.
  uint32_t few_if_large = 0;
};

// More than a timed run makes: what a program does differently later on does not change its time.
constexpr uint32_t kFewCalls = 5;
// The same for a program without a harness, which times one call.
constexpr uint32_t kFewPlainCalls = 2;

}  // namespace cuco::vcluster
