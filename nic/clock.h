// One clock for all processes of a machine: CLOCK_MONOTONIC, which the modelled times of shared lines are kept in.
#pragma once

#include <time.h>

#include <cstdint>

namespace cuco::nic {

inline int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace cuco::nic
