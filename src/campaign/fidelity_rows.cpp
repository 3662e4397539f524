#include "campaign/fidelity_rows.h"

#include <sstream>

#include "base/json.h"
#include "base/number_text.h"
#include "base/table.h"
#include "base/text.h"
#include "campaign/found_run.h"

namespace cuco::campaign {

namespace {

std::string number_or_none(const std::optional<double>& number, int digits) {
  return number ? with_decimals(*number, digits) : "-";
}

std::optional<evolve::TimePair> pair_of(const FidelityRow& row) {
  if (!row.virtual_us || !row.gpu_us) return std::nullopt;
  return evolve::TimePair{*row.virtual_us, *row.gpu_us};
}

// Without the first, which they are anchored to.
std::vector<evolve::TimePair> anchored_pairs_of(const std::vector<FidelityRow>& rows) {
  std::vector<evolve::TimePair> pairs;
  for (size_t i = 1; i < rows.size(); i++)
    if (rows[i].anchored_us && rows[i].gpu_us) pairs.push_back({*rows[i].anchored_us, *rows[i].gpu_us});
  return pairs;
}

std::string anchored_words(const FidelityResult& result) {
  std::vector<evolve::TimePair> pairs = anchored_pairs_of(result.rows);
  if (pairs.empty()) return "";
  return concat(counted(pairs.size(), "other"), " with the compute of the first as measured: median error ",
                number_or_none(evolve::median_error_percent(pairs), 1), " %, rank correlation ",
                number_or_none(evolve::rank_correlation(pairs), 2), "\n");
}

void write_row(JsonWriter& json, const FidelityRow& row) {
  std::optional<evolve::TimePair> pair = pair_of(row);
  json.begin_object().field("plan", row.plan);
  write_optional(json, "virtual_us", row.virtual_us);
  write_optional(json, "anchored_us", row.anchored_us);
  write_optional(json, "gpu_us", row.gpu_us);
  json.field("spread_us", row.spread_us);
  write_optional(json, "error_percent", pair ? std::optional(pair->error_percent()) : std::nullopt);
  json.field("rejection", row.rejection).end_object();
}

}  // namespace

void anchor(double compute_us, std::vector<FidelityRow>& rows) {
  if (rows.empty() || compute_us <= 0 || rows[0].virtual_compute_us.value_or(0) <= 0) return;
  double stretch = compute_us / *rows[0].virtual_compute_us;
  for (FidelityRow& row : rows)
    if (row.virtual_us && row.virtual_compute_us)
      row.anchored_us = *row.virtual_us + (stretch - 1) * *row.virtual_compute_us;
}

std::vector<evolve::TimePair> pairs_of(const std::vector<FidelityRow>& rows) {
  std::vector<evolve::TimePair> pairs;
  for (const FidelityRow& row : rows)
    if (std::optional<evolve::TimePair> pair = pair_of(row)) pairs.push_back(*pair);
  return pairs;
}

std::string fidelity_text(const FidelityResult& result) {
  std::ostringstream out;
  out << result.name << ", " << result.configuration << ", " << result.device << ", " << result.software << "\n"
      << "virtual clock: profile " << result.profile << "\n";
  Table table({{"plan"},
               {"virtual us", Table::Align::Right},
               {"anchored us", Table::Align::Right},
               {"GPU us", Table::Align::Right},
               {"spread", Table::Align::Right},
               {"error %", Table::Align::Right},
               {"virtual time of"}});
  for (const FidelityRow& row : result.rows) {
    std::optional<evolve::TimePair> pair = pair_of(row);
    table.add({row.plan, number_or_none(row.virtual_us, 1), number_or_none(row.anchored_us, 1),
               number_or_none(row.gpu_us, 1), with_decimals(row.spread_us, 1),
               pair ? with_decimals(pair->error_percent(), 1) : "-", row.rejection});
  }
  table.write(out);
  std::vector<evolve::TimePair> pairs = pairs_of(result.rows);
  out << counted(pairs.size(), "program") << " with both times: median error "
      << number_or_none(evolve::median_error_percent(pairs), 1) << " %, rank correlation "
      << number_or_none(evolve::rank_correlation(pairs), 2) << "\n"
      << anchored_words(result);
  return std::move(out).str();
}

std::string fidelity_json(const FidelityResult& result) {
  std::vector<evolve::TimePair> pairs = pairs_of(result.rows);
  JsonWriter json;
  json.begin_object().field("name", result.name).field("configuration", result.configuration);
  json.field("profile", result.profile)
      .field("device", result.device)
      .field("software", result.software)
      .key("programs")
      .begin_array();
  for (const FidelityRow& row : result.rows) write_row(json, row);
  json.end_array().field("with_both_times", pairs.size());
  write_optional(json, "median_error_percent", evolve::median_error_percent(pairs));
  write_optional(json, "rank_correlation", evolve::rank_correlation(pairs));
  std::vector<evolve::TimePair> anchored = anchored_pairs_of(result.rows);
  write_optional(json, "anchored_median_error_percent", evolve::median_error_percent(anchored));
  write_optional(json, "anchored_rank_correlation", evolve::rank_correlation(anchored));
  json.end_object();
  return json.take();
}

}  // namespace cuco::campaign
