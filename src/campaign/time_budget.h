// A budget of wall-clock time, and how a run that is done again spends it alike: what was decided by the clock is in
// the log, and so is the time that earlier processes took.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/log.h"

namespace cuco::campaign {

class TimeBudget {
 public:
  // `elapsed_s` is this process's. With the log alone no clock is asked.
  TimeBudget(std::optional<double> minutes, store::Log& log, std::function<double()> elapsed_s, bool from_log_alone);

  // Why no turn begins as this step; nothing: there is time left.
  std::optional<std::string> out_of_time(uint64_t step);

 private:
  std::optional<double> minutes_;
  store::Log& log_;
  std::function<double()> elapsed_s_;
  bool from_log_alone_;
  double earlier_s_ = 0;
};

}  // namespace cuco::campaign
