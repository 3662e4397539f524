#include "nic/statistics.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace cuco::nic {
namespace {

// The standard library of GCC 12 has no std::format.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  text += buffer;
}

unsigned long long number(const std::atomic<uint64_t>& counter) { return counter.load(std::memory_order_relaxed); }

void append_settings(std::string& text, const Settings& settings) {
  append(text, "\"bandwidth_gb_s\":%.6g,\"latency_ns\":%lld,\"gap_ns\":%lld,", settings.link.bytes_per_ns,
         static_cast<long long>(settings.link.latency_ns), static_cast<long long>(settings.link.gap_ns));
}

void append_traffic(std::string& text, const NicCounters& counters) {
  append(text, "\"sent_bytes\":%llu,\"sent_messages\":%llu,", number(counters.sent_bytes),
         number(counters.sent_messages));
  append(text, "\"received_bytes\":%llu,\"received_messages\":%llu,", number(counters.received_bytes),
         number(counters.received_messages));
  append(text, "\"transmit_busy_ns\":%lld,\"staged_messages\":%llu,\"failed_messages\":%llu,",
         static_cast<long long>(counters.transmit_busy_ns.load()), number(counters.staged_messages),
         number(counters.failed_messages));
}

void append_means(std::string& text, const NicCounters& counters) {
  const double messages = std::max(1.0, static_cast<double>(counters.received_messages.load()));
  append(text, "\"issue_late_ns_mean\":%.0f,\"carry_ns_mean\":%.0f,",
         static_cast<double>(counters.issue_late_ns.load()) / messages,
         static_cast<double>(counters.carry_ns.load()) / messages);
}

void append_lateness(std::string& text, const NicCounters& counters) {
  append(text, "\"late_messages\":%llu,\"late_ns_max\":%lld,\"lateness\":[", number(counters.late_messages),
         static_cast<long long>(counters.late_ns_max.load()));
  for (int i = 0; i < kLatenessBuckets; ++i)
    append(text, "%s[%lld,%llu]", i ? "," : "", static_cast<long long>(lateness_bucket_limit_ns(i)),
           number(counters.lateness[static_cast<size_t>(i)]));
  text += "],";
}

}  // namespace

int lateness_bucket(int64_t late_ns) {
  if (late_ns <= 0) return 0;
  int bucket = 1;
  while (bucket < kLatenessBuckets - 1 && late_ns >= lateness_bucket_limit_ns(bucket)) ++bucket;
  return bucket;
}

int64_t lateness_bucket_limit_ns(int bucket) {
  if (bucket == 0) return 0;
  return bucket == kLatenessBuckets - 1 ? -1 : int64_t{250} << (bucket - 1);
}

void count_lateness(NicCounters& counters, int64_t late_ns, int64_t late_from_ns) {
  counters.lateness[static_cast<size_t>(lateness_bucket(late_ns))].fetch_add(1, std::memory_order_relaxed);
  if (late_ns > late_from_ns) counters.late_messages.fetch_add(1, std::memory_order_relaxed);
  int64_t seen = counters.late_ns_max.load(std::memory_order_relaxed);
  while (late_ns > seen && !counters.late_ns_max.compare_exchange_weak(seen, late_ns, std::memory_order_relaxed)) {
  }
}

bool valid_for_timing(const NicCounters& counters, const Settings& settings) {
  const auto received = static_cast<double>(counters.received_messages.load());
  return static_cast<double>(counters.late_messages.load()) <= settings.late_share_max * received &&
         counters.failed_messages.load() == 0 && counters.staged_messages.load() == 0;
}

std::string statistics_text(const NicCounters& counters, const Settings& settings, const Calibration& calibration,
                            int nic) {
  std::string text = "{";
  append(text, "\"nic\":%d,\"pid\":%d,", nic, static_cast<int>(getpid()));
  append_settings(text, settings);
  append_traffic(text, counters);
  append_means(text, counters);
  append_lateness(text, counters);
  append(text, "\"floor_ns\":%lld,\"signal_lead_ns\":%lld,\"copy_ns_per_byte\":%.4g,",
         static_cast<long long>(calibration.floor_ns), static_cast<long long>(calibration.signal_lead_ns),
         calibration.copy_ns_per_byte);
  append(text, "\"valid_for_timing\":%s}\n", valid_for_timing(counters, settings) ? "true" : "false");
  return text;
}

}  // namespace cuco::nic
