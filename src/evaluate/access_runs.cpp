#include "evaluate/access_runs.h"

#include "base/text.h"
#include "evaluate/reference.h"

namespace cuco::evaluate {

namespace {

// Inputs of the traced run and of the one it is compared with.
constexpr uint64_t kDraw = kTimingSeed, kOtherDraw = kTimingSeed + 1;

// That blocks are seen at, besides the given one; each is a run.
constexpr size_t kSizesMax = 6;

VariedConfiguration with_value(const Configuration& configuration, size_t parameter, int64_t value) {
  VariedConfiguration varied{configuration, ""};
  varied.configuration.parameters[parameter].second = value;
  varied.difference = concat(configuration.parameters[parameter].first, "=", value);
  return varied;
}

VariedConfiguration all_doubled(const Configuration& configuration) {
  VariedConfiguration varied{configuration, ""};
  std::vector<std::string> differences;
  for (auto& [name, value] : varied.configuration.parameters) {
    value *= 2;
    differences.push_back(concat(name, "=", value));
  }
  varied.difference = join(differences, " ");
  return varied;
}

std::string ending_of(const RunOutcome& outcome) {
  if (!outcome.stopped.empty()) return outcome.stopped;
  if (outcome.report.verdict == "ok" || outcome.report.verdict == "exit")
    return concat("the program ended with code ", outcome.report.exit_code);
  return concat("the run ended with ", outcome.report.verdict,
                outcome.report.findings.empty() ? "" : ": " + outcome.report.findings.front().text);
}

}  // namespace

Result<AccessRuns> AccessRuns::make(const EvaluationRequest& request) {
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  Result<ConfinedProgram> program =
      ConfinedProgram::make(request.baseline, setting_of(request, *profile), request.tools);
  if (!program) return program.error();
  if (Status built = program->build(BuildKind::Checking); !built) return built.error();
  return AccessRuns(std::move(*program), request);
}

Result<model::AccessTrace> AccessRuns::run(const Configuration& configuration, uint64_t schedule_seed, uint64_t draw,
                                           bool sample) const {
  RunRequest run{BuildKind::Checking, schedule_seed, run_key_of(request_, draw), 0, 1};
  run.accesses = true;
  run.configuration = &configuration;
  run.sample = sample;
  Result<RunOutcome> outcome = program_.run(run);
  if (!outcome) return outcome.error();
  // A program without a harness may end with a code of its own, for reasons of its own.
  bool is_good = outcome->report.verdict == "ok" && (outcome->report.exit_code == 0 || request_.plain);
  if (!is_good) return Error{ending_of(*outcome)};
  Result<model::AccessTrace> trace = model::parse_access_trace(outcome->accesses);
  if (trace) model::fill_in(*trace);
  return trace;
}

Result<model::AccessTrace> AccessRuns::trace(const Configuration& configuration) const {
  return run(configuration, 0, kDraw);
}

Result<model::AccessTrace> AccessRuns::trace_sampled(const Configuration& configuration) const {
  return run(configuration, 0, kDraw, true);
}

Result<model::AccessTrace> AccessRuns::trace_other_inputs() const { return run(request_.configuration, 0, kOtherDraw); }

Result<model::AccessTrace> AccessRuns::trace_other_order() const { return run(request_.configuration, 1, kDraw); }

std::vector<model::AccessTrace> AccessRuns::trace_other_shapes(const model::AccessTrace& own) const {
  std::vector<model::AccessTrace> traces;
  auto add_first_of = [&](const std::vector<VariedConfiguration>& choices) {
    for (const VariedConfiguration& varied : choices) {
      Result<model::AccessTrace> other = trace(varied.configuration);
      if (!other || other->ranks == own.ranks) continue;
      return traces.push_back(std::move(*other));
    }
  };
  for (const auto& choices : halved_or_doubled(request_.configuration))
    if (traces.size() < kSizesMax) add_first_of(choices);
  add_first_of(other_rank_counts(request_.configuration));
  return traces;
}

std::vector<std::vector<VariedConfiguration>> halved_or_doubled(const Configuration& configuration) {
  std::vector<std::vector<VariedConfiguration>> all;
  for (size_t i = 0; i < configuration.parameters.size(); i++) {
    int64_t value = configuration.parameters[i].second;
    if (value <= 1) continue;
    all.emplace_back();
    if (value % 2 == 0) all.back().push_back(with_value(configuration, i, value / 2));
    all.back().push_back(with_value(configuration, i, 2 * value));
  }
  return all;
}

std::vector<VariedConfiguration> other_sizes(const Configuration& configuration) {
  std::vector<VariedConfiguration> all;
  const auto& parameters = configuration.parameters;
  for (int64_t factor : {2, 4}) {
    for (size_t i = 0; i < parameters.size(); i++)
      if (parameters[i].second > 0) all.push_back(with_value(configuration, i, factor * parameters[i].second));
    if (factor == 2 && parameters.size() > 1) all.push_back(all_doubled(configuration));
  }
  return all;
}

std::vector<VariedConfiguration> other_rank_counts(const Configuration& configuration) {
  std::vector<VariedConfiguration> all;
  uint32_t ranks = configuration.rank_count;
  for (uint32_t count : {2 * ranks, ranks / 2, 4 * ranks, 3 * ranks}) {
    if (count < 2 || count % configuration.node_count != 0) continue;
    all.push_back({configuration, concat(count, " ranks")});
    all.back().configuration.rank_count = count;
  }
  return all;
}

}  // namespace cuco::evaluate
