// What a measured run did to the network it went over, when that is an emulated NIC, and whether its times can be
// believed. Late messages make a time longer, never shorter: all together by at most the time for which at least one
// message was overdue. A run is valid for timing when that is at most kOverdueShareMax of the timed iterations, no
// message failed, and none had to go through host memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace cuco::evaluate {

constexpr double kOverdueShareMax = 0.05;

struct NetworkUse {
  model::Network modelled;
  double floor_us = 0;  // Of all NICs the largest: a smaller latency cannot be shown.
  uint32_t nic_count = 0;
  // Of the timed iterations, all NICs together.
  uint64_t sent_bytes = 0, sent_messages = 0, received_messages = 0;
  uint64_t staged_messages = 0, failed_messages = 0;
  uint64_t late_messages = 0;  // By more than 2 us.
  double late_us_max = 0;
  double busy_us = 0;     // Of the busiest NIC's transmit line.
  double overdue_us = 0;  // Sum over the NICs.
  double timed_us = 0;    // Sum over the iterations; 0: not known.
  struct Bucket {
    int64_t limit_ns = 0;  // 0: on time; -1: no limit.
    uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> lateness;

  // Times are longer than the model's by at most this share.
  double overdue_share() const { return timed_us > 0 ? overdue_us / timed_us : 0; }
  // Empty when times are valid.
  std::string doubt() const;
};

// Statistics of the NICs, one line of JSON each (docs/emulated_nic.md). Nothing when there is no line that makes sense.
std::optional<NetworkUse> network_use_of(const std::string& statistics, double timed_us);

std::string to_json(const NetworkUse& use);
std::optional<NetworkUse> network_use_from_json(const std::string& text);
// One sentence: link, floor, traffic, lateness.
std::string to_text(const NetworkUse& use);

}  // namespace cuco::evaluate
