// The cascade: text -> build -> verify at every proof size -> time at the case, each level cheap before dear. The first
// level that fails ends it with its diagnosis. The verdict is a function of the texts, the configuration, the seeds and
// the version of the tools; neither the number of jobs nor what runs beside it changes a byte.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/cache.h"
#include "evaluate/confined_program.h"
#include "evaluate/sizes/proof_size.h"
#include "evaluate/text/evolve_blocks.h"
#include "evaluate/tools.h"
#include "evaluate/verdict.h"
#include "evaluate/workload.h"
#include "model/access_trace.h"

namespace cuco::evaluate {

struct EvaluationRequest {
  Configuration configuration;  // The case: the size that the user runs. Every time is of it.
  // Where candidates are executed whole. None: at the case, which is also the first of them where it is small enough.
  std::vector<ProofSize> proofs;
  std::vector<SourceFile> baseline;   // The oracle.
  std::vector<SourceFile> parent;     // Whose frozen text the candidate keeps; the baseline unless given.
  std::vector<SourceFile> candidate;  // The baseline itself unless given. The same names in the same order.
  bool rewritten = false;             // The candidate was made by cuco's own rewriter.

  model::BuildFlags flags;
  // Where the files' names are seen from; headers that they include beside them are found there. Empty: there are none.
  std::filesystem::path folder;
  std::filesystem::path start_folder;  // What relative paths that a plain program opens are seen from; empty: nothing.
  bool plain = false;                  // The program does not use the harness.

  std::string input_key;     // See input_key.h.
  bool allow_lossy = false;  // What the original only moves may arrive with fewer bits; see precision.h.
  uint64_t first_seed = 1;
  uint32_t seed_count = 4;  // Each draws other inputs and another schedule.
  uint32_t calls = 0;       // Of the region in each, at least; 0: 20, or 5 where they are large.
  RunLimits limits;
  // Of the case, sampled: only a candidate that takes less has what its blocks computed compared.
  std::optional<double> compared_below_us;
  bool with_nvcc = true;
  bool sandbox = true;

  uint32_t job_count = 1;
  Cache cache;
  Tools tools;
  std::string repeat;                                // The command that repeats this, without its seeds.
  std::function<void(const std::string&)> progress;  // Called from any thread; may be empty.

  // The case is too large to be executed whole: it is timed by block sampling.
  bool is_sampled() const { return !proofs.empty() && !proofs.front().shrunk.empty(); }
};

// What a program of the request is built and run with.
ProgramSetting setting_of(const EvaluationRequest& request, const model::HardwareProfile& profile);

// The baseline or a text that was made of it. Of a request without a harness the region is marked where the baseline
// has it, if that can be done.
Result<ConfinedProgram> make_program(const EvaluationRequest& request, const model::HardwareProfile& profile,
                                     const std::vector<SourceFile>& files);

// An error means that there is nothing to compare with or no way to run: no sandbox, an unknown profile, a baseline
// that does not build or does not pass.
Result<Verdict> evaluate(const EvaluationRequest& request);

// Which bytes the blocks of the baseline touch in the first call of its region, from one run of it. Two further runs,
// with other inputs and in another order of blocks, show where that varies.
Result<model::AccessTrace> trace_accesses(const EvaluationRequest& request);

// What a baseline puts out on the virtual cluster, with types and tolerances. An error says why it does not pass.
Result<Capture> baseline_outputs(const EvaluationRequest& request);

// Results in the order of the requests.
std::vector<Result<Verdict>> evaluate_all(const std::vector<EvaluationRequest>& requests, uint32_t job_count);

// What a run of the candidate looks like in time, between the two virtual times that it is judged by.
struct TracedRun {
  std::string trace;  // In Chrome's format.
  double begin_us = 0, end_us = 0;
};
Result<TracedRun> trace_candidate(const EvaluationRequest& request);

}  // namespace cuco::evaluate
