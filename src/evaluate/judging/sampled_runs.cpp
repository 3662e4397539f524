#include "evaluate/judging/sampled_runs.h"

#include "base/text.h"
#include "evaluate/judging/sampled_results.h"
#include "evaluate/reference.h"
#include "vcluster/input_keys.h"

namespace cuco::evaluate {

namespace {

struct SampledParts {
  Capture parts;
  uint64_t blocks_run = 0;
  std::string obstacle;  // Why there are none, where the run did not come to its end.
};

// In one of the calls that are sampled for the time, which is drawn from the key.
RunRequest compared_run(const std::string& run_key) {
  RunRequest run = sampled_run(run_key);
  run.build = BuildKind::Checking;
  uint32_t calls = run.warmups + run.iterations;
  run.warmups = static_cast<uint32_t>(vcluster::keyed_seed(run_key, "the compared call") % calls);
  run.iterations = 1;
  run.compared = true;
  return run;
}

Result<SampledParts> sample_results(ConfinedProgram& program, RunRequest run) {
  if (!program.is_built(BuildKind::Checking))
    if (Status built = program.build(BuildKind::Checking); !built) return built.error();
  Result<RunOutcome> outcome = program.run(run);
  if (!outcome) return outcome.error();
  SampledParts sampled{std::move(outcome->capture), outcome->report.blocks_run, ""};
  for (const Finding& finding : findings_of(*outcome, Level::Timed, kTimingSeed))
    if (finding.is_error() && sampled.obstacle.empty())
      sampled.obstacle = concat(finding.kind, ": ", split(finding.text, '\n')[0]);
  return sampled;
}

Result<SampledParts> find_baseline_parts(const EvaluationRequest& request, const std::string& key,
                                         ConfinedProgram& program) {
  if (std::optional<std::string> bytes = request.cache.find("parts", key))
    if (Result<Capture> known = vcluster::parse_capture(*bytes, "cached parts")) return SampledParts{*known, 0, ""};
  Result<SampledParts> sampled = sample_results(program, compared_run(run_key_of(request, kTimingSeed)));
  if (!sampled || !sampled->obstacle.empty()) return sampled;
  std::string bytes;
  for (const CapturedOutput& part : sampled->parts) bytes += vcluster::to_record(part);
  request.cache.store("parts", key, bytes);
  return sampled;
}

SampledVerdict not_compared(const char* whose, const std::string& obstacle) {
  return {concat("results at full size were not compared: ", whose, " for it ended with ", obstacle), {}};
}

}  // namespace

Result<SampledVerdict> judge_sampled(const EvaluationRequest& request, const std::string& key,
                                     ConfinedProgram& baseline, ConfinedProgram& candidate) {
  Result<SampledParts> expected = find_baseline_parts(request, key, baseline);
  if (!expected) return expected.error();
  if (!expected->obstacle.empty()) return not_compared("the baseline's run", expected->obstacle);
  RunRequest run = compared_run(run_key_of(request, kTimingSeed));
  run.wanted = places_of(expected->parts);
  Result<SampledParts> found = sample_results(candidate, std::move(run));
  if (!found) return found.error();
  if (!found->obstacle.empty()) return not_compared("the run", found->obstacle);
  SampledComparison compared = compare_parts(expected->parts, found->parts);
  return SampledVerdict{concat(counted(compared.value_count, "value"), " of ", counted(found->blocks_run, "block"),
                               " that ran at full size compared"),
                        std::move(compared.findings)};
}

}  // namespace cuco::evaluate
