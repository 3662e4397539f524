// What a user asks of a command that evaluates a program or a workload, and the request that it makes.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "campaign/context.h"
#include "evaluate/evaluate.h"

namespace cuco::campaign {

struct EvaluationOptions {
  std::string command = "cuco evaluate";  // For messages.
  std::vector<std::string> targets;       // A workload's folder, or the files of a program.
  std::string candidate, parent, configuration, executor = "vcluster", cache;
  std::string profile;              // Empty: the workload's, or usual_profile().
  uint32_t ranks = 0, nodes = 0;    // 0: as the workload has it, or the profile.
  std::vector<std::string> proofs;  // As typed; empty: those of the configuration, else they are found.
  std::string network;              // Between nodes, as model/network.h reads it; empty: the profile's.
  model::BuildFlags flags;
  std::string input_key;  // Empty: the machine's.
  uint64_t seed = 1;
  uint32_t seeds = 4;
  uint32_t calls = 0;  // 0: as many as evaluate/reference.h finds right.
  uint32_t jobs = 0;
  int time_limit_s = vcluster::kTimeLimitS;
  uint64_t memory_gib = 4;
  bool no_sandbox = false, no_cache = false, no_nvcc = false, rewritten = false, allow_lossy = false, json = false;
  bool as_it_is = false;  // Looks for no proof sizes: the case is executed whole, however large.
};

// A workload's folder, or a program as a workload with one configuration.
Result<evaluate::Workload> find_workload(const EvaluationOptions& options, const Context& context);

// --network, if it is given; an error says what it should be.
Result<std::optional<model::Network>> network_choice(const EvaluationOptions& options);

// The options of the above that decide what is judged and on which machine, as they would be typed, and what follows
// "--".
std::string target_text(const EvaluationOptions& options);
std::string selection_text(const EvaluationOptions& options);
std::string arguments_text(const Context& context);

// $XDG_CACHE_HOME/cuco and the like unless the user names a folder; empty: there is none.
std::filesystem::path cache_folder(const std::string& wished, const Context& context);

uint32_t job_count(uint32_t wished);

// Without proof sizes: nothing is run.
Result<evaluate::EvaluationRequest> describe_evaluation(const EvaluationOptions& options, Context& context);

// Where candidates are executed whole: as the user says, else as the workload does, else sizes that are found where the
// program's own is too large, which takes a run.
Status choose_proofs(const EvaluationOptions& options, evaluate::EvaluationRequest& request);

// Both.
Result<evaluate::EvaluationRequest> make_evaluation(const EvaluationOptions& options, Context& context);

// A line for each step on a terminal, nothing elsewhere. The step may begin on any thread.
std::function<void(const std::string&)> progress_lines(std::ostream& err);

// From here on Ctrl-C ends what runs with an error, so that scratch folders and processes go the usual way.
void end_processes_on_interrupt();

}  // namespace cuco::campaign
