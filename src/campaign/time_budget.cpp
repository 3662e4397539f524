#include "campaign/time_budget.h"

#include <cstdlib>

#include "base/text.h"

namespace cuco::campaign {

namespace {

constexpr const char* kClock = "clock";
constexpr const char* kElapsed = "elapsed";

std::string stop_key(uint64_t step) { return concat("stop before step ", step); }

}  // namespace

TimeBudget::TimeBudget(std::optional<double> minutes, store::Log& log, std::function<double()> elapsed_s,
                       bool from_log_alone)
    : minutes_(minutes), log_(log), elapsed_s_(std::move(elapsed_s)), from_log_alone_(from_log_alone) {
  if (std::optional<std::string> known = log_.find(kClock, kElapsed)) earlier_s_ = std::atof(known->c_str());
}

// A decision that cannot be kept is not made: a search that goes on can be stopped later, one that forgot why it
// stopped cannot be done again.
std::optional<std::string> TimeBudget::out_of_time(uint64_t step) {
  if (!minutes_) return std::nullopt;
  if (std::optional<std::string> known = log_.find(kClock, stop_key(step))) return known;
  if (from_log_alone_) return std::nullopt;
  double spent_s = earlier_s_ + elapsed_s_();
  if (!log_.append(kClock, kElapsed, std::to_string(spent_s))) return std::nullopt;
  if (spent_s < *minutes_ * 60) return std::nullopt;
  std::string reason = concat("The budget of ", *minutes_, *minutes_ == 1 ? " minute" : " minutes", " is spent.");
  if (!log_.append(kClock, stop_key(step), reason)) return std::nullopt;
  return reason;
}

}  // namespace cuco::campaign
