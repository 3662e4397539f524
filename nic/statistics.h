// What a NIC did and how honest it was. Lateness is the time from a delivery's modelled moment to the moment its bytes
// and signal were seen to be in place; a run in which too many deliveries were late is not valid for timing.
// Counters are in shared memory, because several processes may share a NIC.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "nic/settings.h"

namespace cuco::nic {

// Bucket 0: on time or early; bucket i: below 2^(i-1) * 250 ns; the last one holds the rest.
constexpr int kLatenessBuckets = 16;

struct NicCounters {
  std::atomic<uint64_t> sent_bytes{0};
  std::atomic<uint64_t> sent_messages{0};
  std::atomic<uint64_t> received_bytes{0};
  std::atomic<uint64_t> received_messages{0};
  std::atomic<int64_t> transmit_busy_ns{0};
  std::atomic<uint64_t> staged_messages{0};  // Sent from memory that another process cannot map.
  std::atomic<uint64_t> failed_messages{0};
  std::atomic<int64_t> issue_late_ns{0};  // Sum over messages: from when it should have been handed to the device.
  std::atomic<int64_t> carry_ns{0};       // Sum over messages: from the last handing over to the report of the device.
  std::atomic<uint64_t> late_messages{0};
  std::atomic<int64_t> late_ns_max{0};
  std::array<std::atomic<uint64_t>, kLatenessBuckets> lateness{};
};

// What was measured when the NIC started.
struct Calibration {
  int64_t floor_ns = 0;         // A modelled latency below this cannot be shown truthfully.
  int64_t signal_lead_ns = 0;   // From handing a signal to the engine until a kernel sees it.
  int64_t copy_lead_ns = 0;     // Added by having bytes at all.
  double copy_ns_per_byte = 0;  // Added by each of them.
  int64_t report_ns = 0;        // From the end of a delivery until this process sees it.
};

int lateness_bucket(int64_t late_ns);
int64_t lateness_bucket_limit_ns(int bucket);
void count_lateness(NicCounters& counters, int64_t late_ns, int64_t late_from_ns);

bool valid_for_timing(const NicCounters& counters, const Settings& settings);

// One line of JSON.
std::string statistics_text(const NicCounters& counters, const Settings& settings, const Calibration& calibration,
                            int nic);

}  // namespace cuco::nic
