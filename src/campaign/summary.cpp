#include <algorithm>
#include <iomanip>
#include <sstream>

#include "base/json.h"
#include "base/number_text.h"
#include "base/text.h"
#include "campaign/found_run.h"
#include "campaign/results.h"
#include "evaluate/verdict.h"
#include "report/html.h"
#include "report/network_lines.h"
#include "report/reasons.h"

namespace cuco::campaign {

namespace {

using report::Entry;
using report::RunView;

// Of real clocks.
std::optional<double> measured_spread_us(const store::Judgement& judgement) {
  evaluate::Verdict verdict = evaluate::verdict_from_json(judgement.verdict);
  bool measured = !verdict.executor.empty() && verdict.timing;
  return measured ? std::optional(verdict.timing->spread_us) : std::nullopt;
}

std::string spread_of(const Entry& entry) {
  std::optional<double> us = measured_spread_us(*entry.judgement());
  return us ? concat("; spread ", duration(*us), report::doubt_words(entry)) : "";
}

std::string proof_of(const Entry& entry) {
  const store::Judgement* judgement = entry.judgement();
  if (judgement == nullptr || !judgement->passed) return "rejected";
  bool hides = judgement->hidden.value_or(0) > 0;
  return concat("verified, ", counted(judgement->schedules, "schedule"), spread_of(entry),
                hides ? concat("; ", entry.hidden_words(), " of hideable communication hidden") : "");
}

struct Row {
  std::string name, design, time, gain, remark;
};

Row row_of(const RunView& view, const std::string& name, const Entry& entry) {
  std::optional<double> us = entry.time_us(), gain = report::speedup(view, entry);
  return {name, report::design_of(entry), us ? duration(*us) : "", gain ? factor(*gain) : "", proof_of(entry)};
}

std::vector<Row> rows_of(const RunView& view) {
  std::vector<Row> rows;
  if (const Entry* written = view.find(1); written && view.baseline != 1)
    rows.push_back(row_of(view, "as written", *written));
  if (const Entry* baseline = view.find(view.baseline)) {
    rows.push_back(row_of(view, "baseline", *baseline));
    rows.back().gain = "";
    rows.back().remark = view.bound_us() ? concat("bound ", duration(*view.bound_us()), spread_of(*baseline)) : "";
  }
  if (const Entry* fast = view.find(view.fast_path)) rows.push_back(row_of(view, "fast path", *fast));
  const Entry* best = view.find(view.best);
  if (best && view.best != view.baseline) rows.push_back(row_of(view, concat("best #", view.best), *best));
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  size_t names = 0, designs = 0, times = 0;
  for (const Row& row : rows) {
    names = std::max(names, row.name.size());
    designs = std::max(designs, row.design.size());
    times = std::max(times, row.time.size());
  }
  std::ostringstream out;
  for (const Row& row : rows)
    out << std::left << std::setw(static_cast<int>(names) + 2) << row.name << std::setw(static_cast<int>(designs) + 2)
        << row.design << std::right << std::setw(static_cast<int>(times)) << row.time << std::setw(8) << row.gain
        << "   " << row.remark << "\n";
  return out.str();
}

// "3 deadlocks, 1 wrong result".
std::string rejections_text(const RunView& view) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : report::rejections(view))
    kinds.push_back(counted(count, replace_all(kind, "_", " ")));
  return kinds.empty() ? "" : concat(": ", join(kinds, ", "));
}

std::string clock_words(const evaluate::Measurement& measurement) {
  const evaluate::ClockState &before = measurement.before, &after = measurement.after;
  return concat("clocks ", before.multiprocessor_mhz, " and ", before.memory_mhz, " MHz before, ",
                after.multiprocessor_mhz, " and ", after.memory_mhz, " MHz after the best's run, ", after.temperature_c,
                " C", after.throttled.empty() ? "" : concat(", held down: ", after.throttled));
}

// What was measured on and how much of it; empty of the virtual cluster.
std::string gpu_words(const RunView& view, const evolve::CampaignSetting& setting) {
  if (!setting.gpu) return "";
  std::string text = concat(setting.gpu->device, ", ", setting.gpu->software);
  const store::Judgement* best = view.find(view.best)->judgement();
  if (evaluate::Verdict verdict = evaluate::verdict_from_json(best->verdict); verdict.measurement)
    text += concat("; ", clock_words(*verdict.measurement));
  for (const std::string& line : report::network_lines(view)) text += concat("\n", line);
  return concat(text, "\n", duration(view.gpu_seconds() * 1e6), " of GPUs; ", view.untimed,
                " verified candidates were not promising enough for them\n");
}

// "m=8192 n=8192" of "m=128, n=64 (of 8192, 8192)".
std::string case_numbers(const std::string& shrunk) {
  size_t of = shrunk.find(" (of ");
  std::vector<std::string> numbers = split(shrunk.substr(0, of), ','), all;
  std::vector<std::string> values = split(shrunk.substr(of + 5, shrunk.size() - of - 6), ',');
  for (size_t i = 0; i < numbers.size() && i < values.size(); i++)
    all.push_back(concat(trim(numbers[i].substr(0, numbers[i].find('=') + 1)), trim(values[i])));
  return join(all, " ");
}

// Of a case that was not executed whole: where its best was, and how much of the case its time is from.
std::string case_words(const RunView& view, const CampaignRun& run) {
  if (!run.request.is_sampled()) return "";
  const store::Judgement* judgement = view.find(view.best)->judgement();
  evaluate::Verdict verdict = evaluate::verdict_from_json(judgement->verdict);
  std::string sample = evaluate::sample_words(verdict);
  std::string text = concat(
      "proved at ", counted(verdict.proved_at.size(), "size"), ", ", counted(verdict.schedules_run, "schedule"),
      ", timed at ", case_numbers(run.request.proofs.front().shrunk), sample.empty() ? "" : concat(" (", sample, ")"));
  for (const std::string& size : verdict.proved_at) text += concat("\n  ", size);
  return concat(text, "\n");
}

void write_entry(JsonWriter& json, const char* key, const RunView& view, store::Id id) {
  json.key(key);
  const Entry* entry = view.find(id);
  if (entry == nullptr) {
    json.null();
    return;
  }
  const store::Judgement* judgement = entry->judgement();
  json.begin_object().field("id", id).field("design", report::design_of(*entry)).field("plan", entry->candidate.plan);
  write_optional(json, "time_us", entry->time_us());
  write_optional(json, "spread_us", judgement ? measured_spread_us(*judgement) : std::nullopt);
  write_optional(json, "speedup", report::speedup(view, *entry));
  write_optional(json, "bound_us",
                 id == view.baseline ? view.bound_us()
                 : judgement         ? judgement->bound_us
                                     : std::nullopt);
  write_optional(json, "hidden", judgement ? judgement->hidden : std::nullopt);
  if (std::optional<evaluate::NetworkUse> use = report::network_use(*entry))
    json.key("network").verbatim(evaluate::to_json(*use));
  if (double share = report::waited_share(*entry); share > 0) json.field("waited_share", share);
  json.field("schedules", judgement ? judgement->schedules : 0u).end_object();
}

void write_gpu(JsonWriter& json, const RunView& view, const evolve::CampaignSetting& setting) {
  if (!setting.gpu) return;
  json.field("executor", setting.gpu->executor).field("device", setting.gpu->device);
  json.field("software", setting.gpu->software);
  json.field("gpu_seconds", view.gpu_seconds()).field("untimed", view.untimed);
  write_entry(json, "as_written", view, 1);
}

}  // namespace

std::string setting_words(const evolve::CampaignSetting& setting) {
  const evaluate::Configuration& configuration = setting.configuration;
  std::string where = setting.gpu ? concat(setting.gpu->executor, " with ", setting.gpu->device)
                                  : concat("profile ", configuration.profile);
  return concat(configuration.name, ", ", counted(configuration.rank_count, "rank"), " on ",
                counted(configuration.node_count, "node"), ", ", where);
}

std::string summary_text(const SummaryInput& input) {
  const RunView& view = input.view;
  std::string text = concat(view.campaign.name, ", ", setting_words(input.run.setting), "\n", table(rows_of(view)),
                            case_words(view, input.run));
  if (view.best == view.baseline) text += "nothing faster passed; the best program is the baseline\n";
  for (const std::string& reason : report::reasons_of(view)) text += concat(reason, "\n");
  text += concat(counted(view.evaluations, "evaluation"), " (", view.rejected, " rejected", rejections_text(view),
                 "), ", seconds_text(input.seconds), ", ", dollars(view.cost_usd()), "; ", view.stop_reason, "\n");
  text += gpu_words(view, input.run.setting);
  for (const std::string& line : input.delivery.listing()) text += concat(line, "\n");
  return text + concat("build  ", input.delivery.build_command(), "\n");
}

std::string summary_json(const SummaryInput& input) {
  const RunView& view = input.view;
  JsonWriter json;
  json.begin_object().field("run", input.folder.string()).field("name", view.campaign.name);
  json.field("configuration", view.campaign.configuration).field("profile", input.run.setting.configuration.profile);
  write_entry(json, "baseline", view, view.baseline);
  write_entry(json, "fast_path", view, view.fast_path);
  write_entry(json, "best", view, view.best);
  json.key("reasons").begin_array();
  for (const std::string& reason : report::reasons_of(view)) json.value(reason);
  json.end_array();
  write_gpu(json, view, input.run.setting);
  json.field("evaluations", view.evaluations).field("rejected", view.rejected).key("rejections").begin_object();
  for (const auto& [kind, count] : report::rejections(view)) json.field(kind, count);
  json.end_object().field("cost_usd", view.cost_usd()).field("seconds", input.seconds);
  json.field("stop_reason", view.stop_reason).field("command", view.campaign.command);
  json.field("program", input.delivery.place().string()).field("build", input.delivery.build_command()).end_object();
  return json.take();
}

}  // namespace cuco::campaign
