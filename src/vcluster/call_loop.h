// How a run that verifies calls the region: in a loop, as programs do, and ranks do not meet between calls.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

struct CallLoop {
  uint32_t calls = 0;      // At least so many; 0: the run is timed, and ranks meet before and after every call.
  uint32_t calls_max = 0;  // More are made, up to these, until signals, barriers and slots of windows have come round.
  bool few_if_large = false;  // kFewCalls are enough where so many do a great deal of work.
};

// More than a timed run makes: what a program does differently later on does not change its time.
constexpr uint32_t kFewCalls = 5;

}  // namespace cuco::vcluster
