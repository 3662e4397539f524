#include <iomanip>
#include <sstream>

#include "base/ranges_text.h"
#include "base/text.h"
#include "evaluate/verdict.h"
#include "model/finding_text.h"

namespace cuco::evaluate {

namespace {

constexpr size_t kFindingsShown = 12;

void write_reached(std::ostream& out, const Verdict& verdict) {
  if (verdict.reached == Level::None)
    out << "no level reached";
  else
    out << "reached '" << to_text(verdict.reached) << "'";
  if (verdict.schedules_run > 0) out << ", " << proof_words(verdict) << " run";
  out << "\n";
  if (!verdict.proved_at.empty()) out << "proved at " << join(verdict.proved_at, "; ") << "\n";
}

std::vector<std::string> lines_of(const std::vector<Finding>& findings) {
  std::vector<model::ShownFinding> shown;
  for (const Finding& finding : findings) {
    std::string whose = ranks_text(finding.rank, finding.other_ranks);
    if (finding.level == Level::Verified) whose += concat(whose.empty() ? "" : ", ", "seed ", finding.seed);
    shown.push_back({finding.severity, finding.kind, whose, finding.text, finding.repeat});
  }
  return model::finding_lines(shown, kFindingsShown);
}

// Of what is rejected the reason comes first.
void write_outcome(std::ostream& out, const Verdict& verdict) {
  std::vector<std::string> lines = lines_of(verdict.findings);
  out << outcome_of(verdict) << ": ";
  if (verdict.passed()) write_reached(out, verdict);
  for (size_t i = 0; i < lines.size(); i++) out << (i == 0 && !verdict.passed() ? "" : "  ") << lines[i] << "\n";
  if (!verdict.passed()) write_reached(out << "  ", verdict);
}

void write_path(std::ostream& out, const CriticalPath& path) {
  out << "  compute " << path.compute_us << ", copies " << path.copy_us << ", exposed communication "
      << path.exposed_communication_us << ", launch " << path.launch_us << ", waiting " << path.wait_us << "\n";
}

// A real clock knows no critical path.
void write_timing(std::ostream& out, const Verdict& verdict) {
  const Timing& timing = *verdict.timing;
  bool is_measured = verdict.measurement.has_value();
  out << "time " << timing.median_us << " us (" << timing.least_us << " to " << timing.most_us
      << " over iterations), slowest rank from a common start"
      << (timing.sampled ? concat(", ", sample_words(verdict)) : "") << "\n";
  out << "  ranks";
  for (double us : timing.rank_us) out << " " << us;
  out << "\n";
  if (!is_measured) write_path(out, timing.path);
  if (is_measured && timing.bound_us() <= 0) return;
  out << "  bound " << timing.bound_us() << " us: compute " << timing.bound_compute_us << ", communication "
      << timing.bound_communication_us;
  if (!is_measured) out << ", in the order of its kernels " << timing.bound_order_us;
  out << "\n";
}

void write_clocks(std::ostream& out, const char* when, const ClockState& state) {
  out << "  " << when << ": " << state.multiprocessor_mhz << " MHz, memory " << state.memory_mhz << " MHz, "
      << state.temperature_c << " C, " << state.power_w << " W"
      << (state.throttled.empty() ? "" : concat(", held down by ", state.throttled)) << "\n";
}

void write_measurement(std::ostream& out, const Verdict& verdict) {
  if (!verdict.measurement) return;
  const Measurement& measurement = *verdict.measurement;
  out << std::setprecision(1) << "measured on " << verdict.executor << ": " << measurement.machine << "\n";
  write_clocks(out, "before", measurement.before);
  write_clocks(out, "after", measurement.after);
  if (measurement.network) out << "  " << to_text(*measurement.network) << "\n";
  if (measurement.baseline_network) out << "  baseline: " << to_text(*measurement.baseline_network) << "\n";
}

void write_comparison(std::ostream& out, const Verdict& verdict) {
  if (!verdict.timing || !verdict.baseline_us) return;
  out << "baseline " << *verdict.baseline_us << " us, " << *verdict.baseline_us / verdict.timing->median_us
      << " times as fast";
  if (std::optional<double> share = hidden_share(verdict))
    out << std::setprecision(1) << ", " << 100 * *share << " % of what can be hidden is";
  out << "\n";
}

}  // namespace

std::string proof_words(const Verdict& verdict) {
  std::string words = counted(verdict.schedules_run, "schedule");
  return verdict.proved_at.empty() ? words : concat(words, " at ", counted(verdict.proved_at.size(), "size"));
}

std::string sample_words(const Verdict& verdict) {
  if (!verdict.timing || !verdict.timing->sampled) return "";
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << 100 * verdict.timing->blocks_run << " % of the blocks run in full";
  return std::move(out).str();
}

std::string to_text(const Verdict& verdict) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3);
  write_outcome(out, verdict);
  if (verdict.timing) write_timing(out, verdict);
  write_comparison(out, verdict);
  write_measurement(out, verdict);
  for (const std::string& note : verdict.notes) out << "note: " << note << "\n";
  return std::move(out).str();
}

}  // namespace cuco::evaluate
