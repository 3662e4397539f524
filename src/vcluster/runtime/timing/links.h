// A rank's way out over one link: messages leave one after the other, each at the link's bandwidth but no more often
// than its message rate, and then travel for its latency.
#pragma once

#include <algorithm>

#include "model/profile.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

inline Time wire_time(const model::Link& link, double bytes) {
  return static_cast<Time>(bytes / (link.gb_per_s * 1e9) * 1e12);
}

inline Time sending_time(const model::Link& link, double bytes) {
  Time slot = link.messages_m_per_s > 0 ? static_cast<Time>(1e6 / link.messages_m_per_s) : 0;
  return std::max(wire_time(link, bytes), slot);
}

class LinkQueue {
 public:
  struct Sending {
    Time begin, end;
  };

  Sending send(Time now, const model::Link& link, double bytes) { return take(now, sending_time(link, bytes)); }
  // Loads and stores of kernels are no messages.
  Sending pass(Time now, const model::Link& link, double bytes) { return take(now, wire_time(link, bytes)); }

  // Any other use of the way out.
  Sending take(Time now, Time amount) {
    Time begin = std::max(now, free_);
    free_ = begin + amount;
    return {begin, free_};
  }

 private:
  Time free_ = 0;
};

}  // namespace cuco::vcluster
