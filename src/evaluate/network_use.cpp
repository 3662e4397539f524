#include "evaluate/network_use.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "base/text.h"

namespace cuco::evaluate {

namespace {

using Json = nlohmann::json;

uint64_t count_in(const Json& json, const char* key) { return json.value(key, uint64_t{0}); }
double us_in(const Json& json, const char* key_ns) { return json.value(key_ns, 0.0) / 1e3; }

void add_lateness(const Json& pairs, std::vector<NetworkUse::Bucket>& buckets) {
  buckets.resize(std::max(buckets.size(), pairs.size()));
  for (size_t i = 0; i < pairs.size(); i++) {
    buckets[i].limit_ns = pairs[i].at(0);
    buckets[i].count += pairs[i].at(1).get<uint64_t>();
  }
}

void add_nic(const Json& json, NetworkUse& use) {
  use.nic_count++;
  use.modelled = {json.value("bandwidth_gb_s", 0.0), us_in(json, "latency_ns")};
  use.floor_us = std::max(use.floor_us, us_in(json, "floor_ns"));
  use.sent_bytes += count_in(json, "sent_bytes");
  use.sent_messages += count_in(json, "sent_messages");
  use.received_messages += count_in(json, "received_messages");
  use.staged_messages += count_in(json, "staged_messages");
  use.failed_messages += count_in(json, "failed_messages");
  use.late_messages += count_in(json, "late_messages");
  use.late_us_max = std::max(use.late_us_max, us_in(json, "late_ns_max"));
  use.busy_us = std::max(use.busy_us, us_in(json, "transmit_busy_ns"));
  use.overdue_us += us_in(json, "overdue_ns");
  add_lateness(json.value("lateness", Json::array()), use.lateness);
}

NetworkUse read_use(const Json& json) {
  NetworkUse use;
  use.modelled = {json.at("gb_per_s"), json.at("latency_us")};
  use.floor_us = json.at("floor_us");
  use.nic_count = json.at("nics");
  use.sent_bytes = json.at("sent_bytes");
  use.sent_messages = json.at("sent_messages");
  use.received_messages = json.at("received_messages");
  use.staged_messages = json.at("staged_messages");
  use.failed_messages = json.at("failed_messages");
  use.late_messages = json.at("late_messages");
  use.late_us_max = json.at("late_us_max");
  use.busy_us = json.at("busy_us");
  use.overdue_us = json.at("overdue_us");
  use.timed_us = json.at("timed_us");
  add_lateness(json.at("lateness"), use.lateness);
  return use;
}

}  // namespace

std::string NetworkUse::doubt() const {
  if (failed_messages > 0) return concat(counted(failed_messages, "message"), " of the emulated NIC failed");
  if (staged_messages > 0)
    return concat(counted(staged_messages, "message"),
                  " went through host memory, because its memory cannot be shared");
  if (overdue_share() <= kOverdueShareMax) return "";
  return concat("messages were overdue for ", percent(overdue_share(), 1), " of the time, more than ",
                percent(kOverdueShareMax, 1));
}

std::optional<NetworkUse> network_use_of(const std::string& statistics, double timed_us) {
  NetworkUse use;
  use.timed_us = timed_us;
  for (const std::string& line : split(statistics, '\n')) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    try {
      add_nic(json, use);
    } catch (const Json::exception&) {
      return std::nullopt;
    }
  }
  return use.nic_count > 0 ? std::optional(use) : std::nullopt;
}

std::string to_json(const NetworkUse& use) {
  Json lateness = Json::array();
  for (const NetworkUse::Bucket& bucket : use.lateness) lateness.push_back({bucket.limit_ns, bucket.count});
  nlohmann::ordered_json json = {{"gb_per_s", use.modelled.gb_per_s},
                                 {"latency_us", use.modelled.latency_us},
                                 {"floor_us", use.floor_us},
                                 {"nics", use.nic_count},
                                 {"sent_bytes", use.sent_bytes},
                                 {"sent_messages", use.sent_messages},
                                 {"received_messages", use.received_messages},
                                 {"staged_messages", use.staged_messages},
                                 {"failed_messages", use.failed_messages},
                                 {"late_messages", use.late_messages},
                                 {"late_us_max", use.late_us_max},
                                 {"busy_us", use.busy_us},
                                 {"overdue_us", use.overdue_us},
                                 {"timed_us", use.timed_us},
                                 {"overdue_share", use.overdue_share()},
                                 {"valid_for_timing", use.doubt().empty()},
                                 {"lateness", lateness}};
  return json.dump();
}

std::optional<NetworkUse> network_use_from_json(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return read_use(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string to_text(const NetworkUse& use) {
  std::string text = concat("emulated network ", use.modelled.gb_per_s, " GB/s, ", use.modelled.latency_us,
                            " us (floor ", with_decimals(use.floor_us, 1), " us): ", use.sent_messages, " messages, ",
                            with_decimals(static_cast<double>(use.sent_bytes) / 1e6, 1), " MB, ", use.late_messages,
                            " over 2 us late, overdue for ", percent(use.overdue_share(), 1), " of the time");
  if (use.modelled.latency_us < use.floor_us) text += "; the latency is below the floor and cannot be shown";
  std::string doubt = use.doubt();
  return doubt.empty() ? text : concat(text, "; not valid for timing: ", doubt);
}

}  // namespace cuco::evaluate
