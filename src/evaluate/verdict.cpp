#include "evaluate/verdict.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/number_text.h"
#include "base/text.h"

namespace cuco::evaluate {

namespace {

using Json = nlohmann::json;

constexpr const char* kLevels[] = {"none", "text", "built", "verified", "timed"};

Level level_from(const std::string& name) {
  auto found = std::find(std::begin(kLevels), std::end(kLevels), name);
  return found == std::end(kLevels) ? Level::None : static_cast<Level>(found - std::begin(kLevels));
}

void write_finding(JsonWriter& json, const Finding& finding) {
  json.begin_object()
      .field("level", to_text(finding.level))
      .field("kind", finding.kind)
      .field("severity", model::name_of(finding.severity))
      .field("rank", finding.rank)
      .key("other_ranks")
      .begin_array();
  for (int rank : finding.other_ranks) json.value(rank);
  json.end_array().field("text", finding.text).field("seed", finding.seed).field("repeat", finding.repeat).end_object();
}

void write_timing(JsonWriter& json, const Timing& timing) {
  json.begin_object().field("median_us", timing.median_us).field("least_us", timing.least_us);
  json.field("most_us", timing.most_us).key("rank_us").begin_array();
  for (double us : timing.rank_us) json.value(us);
  json.end_array()
      .key("critical_path")
      .begin_object()
      .field("compute_us", timing.path.compute_us)
      .field("copy_us", timing.path.copy_us)
      .field("exposed_communication_us", timing.path.exposed_communication_us)
      .field("launch_us", timing.path.launch_us)
      .field("wait_us", timing.path.wait_us)
      .end_object()
      .field("bound_compute_us", timing.bound_compute_us)
      .field("bound_communication_us", timing.bound_communication_us)
      .field("bound_order_us", timing.bound_order_us)
      .field("bound_us", timing.bound_us())
      .field("sampled", timing.sampled)
      .field("blocks_run", timing.blocks_run);
  if (timing.spread_us > 0) json.field("spread_us", timing.spread_us);
  if (timing.waited_share > 0) json.field("waited_share", timing.waited_share);
  json.end_object();
}

void write_clocks(JsonWriter& json, const char* key, const ClockState& state) {
  json.key(key)
      .begin_object()
      .field("multiprocessor_mhz", state.multiprocessor_mhz)
      .field("memory_mhz", state.memory_mhz)
      .field("temperature_c", state.temperature_c)
      .field("power_w", state.power_w)
      .field("throttled", state.throttled)
      .end_object();
}

// Verdicts of the virtual cluster have neither of these fields, so that their bytes do not depend on other executors.
void write_measurement(JsonWriter& json, const Verdict& verdict) {
  if (!verdict.executor.empty()) json.field("executor", verdict.executor);
  if (!verdict.measurement) return;
  const Measurement& measurement = *verdict.measurement;
  json.key("measurement").begin_object().field("machine", measurement.machine);
  json.field("iterations", measurement.iterations);
  write_clocks(json, "before", measurement.before);
  write_clocks(json, "after", measurement.after);
  if (measurement.baseline) {
    json.key("baseline");
    write_timing(json, *measurement.baseline);
  }
  if (measurement.network) json.key("network").verbatim(to_json(*measurement.network));
  if (measurement.baseline_network) json.key("baseline_network").verbatim(to_json(*measurement.baseline_network));
  json.end_object();
}

void write_traffic(JsonWriter& json, const SeenTraffic& traffic) {
  json.key("traffic").begin_object().key("own").verbatim(model::to_json(traffic.own));
  json.key("baseline").verbatim(model::to_json(traffic.baseline)).end_object();
}

void write_optional(JsonWriter& json, const char* key, const std::optional<double>& number) {
  json.key(key);
  if (number)
    json.value(*number);
  else
    json.null();
}

Finding read_finding(const Json& json) {
  Finding finding;
  finding.level = level_from(json.value("level", ""));
  finding.kind = json.value("kind", "");
  finding.severity = model::severity_named(json.value("severity", "error"));
  finding.rank = json.value("rank", -1);
  finding.other_ranks = json.value("other_ranks", std::vector<int>{});
  finding.text = json.value("text", "");
  finding.seed = json.value("seed", uint64_t{0});
  finding.repeat = json.value("repeat", "");
  return finding;
}

CriticalPath read_path(const Json& json) {
  return {json.value("compute_us", 0.0), json.value("copy_us", 0.0), json.value("exposed_communication_us", 0.0),
          json.value("launch_us", 0.0), json.value("wait_us", 0.0)};
}

Timing read_timing(const Json& json) {
  Timing timing;
  timing.median_us = json.value("median_us", 0.0);
  timing.least_us = json.value("least_us", 0.0);
  timing.most_us = json.value("most_us", 0.0);
  timing.rank_us = json.value("rank_us", std::vector<double>{});
  timing.path = read_path(json.value("critical_path", Json::object()));
  timing.bound_compute_us = json.value("bound_compute_us", 0.0);
  timing.bound_communication_us = json.value("bound_communication_us", 0.0);
  timing.bound_order_us = json.value("bound_order_us", 0.0);
  timing.sampled = json.value("sampled", false);
  timing.blocks_run = json.value("blocks_run", 1.0);
  timing.spread_us = json.value("spread_us", 0.0);
  timing.waited_share = json.value("waited_share", 0.0);
  return timing;
}

ClockState read_clocks(const Json& json) {
  return {json.value("multiprocessor_mhz", 0u), json.value("memory_mhz", 0u), json.value("temperature_c", 0u),
          json.value("power_w", 0.0), json.value("throttled", "")};
}

Measurement read_measurement(const Json& json) {
  Measurement measurement;
  measurement.machine = json.value("machine", "");
  measurement.iterations = json.value("iterations", 0u);
  measurement.before = read_clocks(json.value("before", Json::object()));
  measurement.after = read_clocks(json.value("after", Json::object()));
  if (json.contains("baseline")) measurement.baseline = read_timing(json["baseline"]);
  if (json.contains("network")) measurement.network = network_use_from_json(json["network"].dump());
  if (json.contains("baseline_network"))
    measurement.baseline_network = network_use_from_json(json["baseline_network"].dump());
  return measurement;
}

SeenTraffic read_traffic(const Json& json) {
  return {model::traffic_from_json(json.at("own").dump()), model::traffic_from_json(json.at("baseline").dump())};
}

// Cores first: without them messages are overdue as well.
std::string doubt_of(const std::optional<Timing>& timing, const std::optional<NetworkUse>& network) {
  if (timing && timing->waited_share > kWaitedShareMax)
    return concat("a thread of a rank waited for a core for ", percent(timing->waited_share, 1),
                  " of the time, more than ", percent(kWaitedShareMax, 1));
  return network ? network->doubt() : "";
}

Verdict read_verdict(const Json& json) {
  Verdict verdict;
  verdict.reached = level_from(json.value("reached", ""));
  verdict.schedules_run = json.value("schedules_run", 0u);
  for (const Json& finding : json.value("findings", Json::array())) verdict.findings.push_back(read_finding(finding));
  if (json.contains("timing") && json["timing"].is_object()) verdict.timing = read_timing(json["timing"]);
  if (json.contains("baseline_us") && json["baseline_us"].is_number()) verdict.baseline_us = json["baseline_us"];
  if (json.contains("baseline_bound_us")) verdict.baseline_bound_us = json["baseline_bound_us"].get<double>();
  if (json.contains("work_share"))
    verdict.work = WorkShare{json["work_share"].value("compute", 1.0), json["work_share"].value("bytes", 1.0)};
  verdict.proved_at = json.value("proved_at", std::vector<std::string>{});
  if (json.contains("predicted_us")) verdict.predicted_us = json["predicted_us"].get<double>();
  verdict.gpu_seconds = json.value("gpu_seconds", 0.0);
  verdict.notes = json.value("notes", std::vector<std::string>{});
  if (json.contains("traffic")) verdict.traffic = read_traffic(json["traffic"]);
  verdict.executor = json.value("executor", "");
  if (json.contains("measurement")) verdict.measurement = read_measurement(json["measurement"]);
  return verdict;
}

}  // namespace

const char* to_text(Level level) { return kLevels[static_cast<size_t>(level)]; }

std::string own_timing_doubt(const Verdict& verdict) {
  return doubt_of(verdict.timing, verdict.measurement ? verdict.measurement->network : std::nullopt);
}

std::string timing_doubt(const Verdict& verdict) {
  if (std::string own = own_timing_doubt(verdict); !own.empty() || !verdict.measurement) return own;
  std::string of_baseline = doubt_of(verdict.measurement->baseline, verdict.measurement->baseline_network);
  return of_baseline.empty() ? "" : concat("in the baseline's run ", of_baseline);
}

bool Verdict::passed() const { return std::none_of(findings.begin(), findings.end(), std::mem_fn(&Finding::is_error)); }

const char* outcome_of(const Verdict& verdict) { return verdict.passed() ? "passed" : "rejected"; }

std::optional<double> hidden_share(const Verdict& verdict) {
  if (!verdict.timing || !verdict.baseline_us) return std::nullopt;
  double own_us = verdict.timing->bound_us();
  double hideable_us = *verdict.baseline_us - std::min(own_us, verdict.baseline_bound_us.value_or(own_us));
  if (hideable_us <= 0) return std::nullopt;
  return (*verdict.baseline_us - verdict.timing->median_us) / hideable_us;
}

std::string to_json(const Verdict& verdict) {
  JsonWriter json;
  json.begin_object().field("reached", to_text(verdict.reached)).field("outcome", outcome_of(verdict));
  json.field("schedules_run", verdict.schedules_run).key("findings").begin_array();
  for (const Finding& finding : verdict.findings) write_finding(json, finding);
  json.end_array().key("timing");
  if (verdict.timing)
    write_timing(json, *verdict.timing);
  else
    json.null();
  write_optional(json, "baseline_us", verdict.baseline_us);
  if (verdict.baseline_bound_us) json.field("baseline_bound_us", *verdict.baseline_bound_us);
  if (verdict.work)
    json.key("work_share")
        .begin_object()
        .field("compute", verdict.work->compute)
        .field("bytes", verdict.work->bytes)
        .end_object();
  if (!verdict.proved_at.empty()) json.field("proved_at", verdict.proved_at);
  write_optional(json, "hidden_share", hidden_share(verdict));
  json.field("notes", verdict.notes);
  if (verdict.traffic) write_traffic(json, *verdict.traffic);
  write_measurement(json, verdict);
  if (verdict.predicted_us) json.field("predicted_us", *verdict.predicted_us);
  if (verdict.gpu_seconds > 0) json.field("gpu_seconds", verdict.gpu_seconds);
  json.end_object();
  return json.take();
}

// A text that is not a verdict reads as one that passed nothing; whoever caches verdicts treats it as absent.
Verdict verdict_from_json(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  try {
    return read_verdict(json);
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace cuco::evaluate
