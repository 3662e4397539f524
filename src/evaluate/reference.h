// What the baseline does: its outputs for each input seed, and its time. Every candidate is compared with it, so it is
// kept in the cache.
#pragma once

#include <map>

#include "evaluate/confined_program.h"
#include "evaluate/evaluate.h"
#include "evaluate/judging/precision.h"
#include "evaluate/plain/plain.h"

namespace cuco::evaluate {

// Iterations of a run that is timed. Its inputs are drawn from a seed of their own, whichever seeds verify.
constexpr uint64_t kTimingSeed = 0;
constexpr uint32_t kWarmups = 1;
constexpr uint32_t kTimedIterations = 3;

// Calls of the region in a run that verifies, unless the request says how many, and where slots take longer.
constexpr uint32_t kVerifiedCalls = 20;
constexpr uint32_t kVerifiedCallsMax = 256;

struct Reference {
  std::map<uint64_t, Capture> captures;        // By input seed; the timing run's among them.
  std::map<uint64_t, model::Traffic> traffic;  // Likewise. Of the timing build: without loads and stores of kernels.
  std::optional<Timing> timing;
  std::map<uint64_t, PlainRun> plain;  // Likewise, of a program without the harness.
};

// Of a program: equal for texts that differ in comments and layout only.
std::string digest_of(const std::vector<SourceFile>& files);

// The key of all runs of the request with this seed.
std::string run_key_of(const EvaluationRequest& request, uint64_t seed);

// Whose outputs are judged as well, also for how they follow small changes.
RunRequest timing_run(std::string run_key);
// Of the case. One call after a warm-up: where kernels communicate every block runs, which is dear.
RunRequest sampled_run(std::string run_key);
constexpr NudgedIterations kNudgedIterations = {kWarmups, kTimedIterations};
RunRequest verifying_run(uint64_t seed, std::string run_key, BuildKind build);

// A timing run at the case, by block sampling. Empty where the run did not pass, with what was found instead.
struct SampledTime {
  std::optional<Timing> timing;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // What was left out inside of kernels that communicate.
  int exit_code = 0;
  std::string limit = {};       // Of time or memory that the run came to; then there is no time.
  std::string last_words = {};  // See RunOutcome; only of a run that was made.
};
// That of the baseline, kept in the cache under the key. An error says why it has no time, unless that is a limit.
Result<SampledTime> find_sampled_time(const EvaluationRequest& request, const std::string& key,
                                      ConfinedProgram& program);
// That of the candidate, likewise; `exit_code` is how its original ends. Once it was screened, a closer look need not time
// it again.
Result<SampledTime> find_candidate_time(const EvaluationRequest& request, const std::string& baseline_key,
                                        ConfinedProgram& program, int exit_code);

// From the iterations that a harness timed, else from the region that the report names.
Timing timing_of(const vcluster::RunReport& report);

// Findings of a run at the given level: what the report says, limits that were passed, a bad end. A program that ends
// with the code of its original ends well.
std::vector<Finding> findings_of(const RunOutcome& outcome, Level level, uint64_t seed, int original_exit_code = 0);

// Those that are not like one of the original's: of the same kind and about the same kernels of the program.
std::vector<Finding> without_originals(std::vector<Finding> findings, const std::vector<Finding>& originals);

bool has_error(const std::vector<Finding>& findings);

// Of a request whose baseline has these findings, after it printed this.
Error baseline_error(const std::vector<Finding>& findings, const std::string& last_words);

// `key` is the digest of all that the reference depends on, apart from the seed. `program` is the baseline, built for
// timing only when the cache does not have everything.
Result<Reference> find_reference(const EvaluationRequest& request, const std::string& key, ConfinedProgram& program);

// Of how many calls of the region these are the outputs.
uint32_t calls_of(const Capture& capture);

// What the baseline does in one run.
struct ReferenceRun {
  Capture capture;
  model::Traffic traffic;
};

// A run of so many calls, for a candidate whose slots took longer to come round.
Result<ReferenceRun> find_longer_run(const EvaluationRequest& request, const std::string& key, ConfinedProgram& program,
                                     uint64_t seed, uint32_t calls);

}  // namespace cuco::evaluate
