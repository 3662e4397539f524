// One run of all ranks of a program that the runner is linked into: settings written, ranks started in the sandbox,
// reports and outputs read. Knows nothing of GPUs; the launcher's line is given.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/program.h"

namespace cuco::gpu {

struct RankLaunch {
  std::vector<std::string> command;             // Starts all ranks.
  std::filesystem::path folder;                 // The only one that the ranks can write to; empty before the run.
  std::vector<std::filesystem::path> readable;  // The executable's and its libraries'.
  std::vector<std::filesystem::path> shared;    // Of the session.
  uint32_t rank_count = 1;
  bool sandbox = true;
};

// The runner's settings, as device/cuco/runner/settings.h reads them.
std::string settings_text(const RunRequest& request, Variant variant);

// The lines of device/cuco/runner/report.h, of one rank, added to the outcome. `is_complete` is set when the rank came
// to its end. Lines that make no sense are passed over: a rank may be killed in the midst of one.
void take_report(const std::string& text, uint32_t rank, RunOutcome& outcome, bool& is_complete);

// After all reports are taken; `complete` says whose is whole.
void conclude(const std::vector<bool>& complete, RunOutcome& outcome);

// Without outputs. Everything that the ranks started is gone when it returns.
Result<RunOutcome> run_ranks(const RankLaunch& launch, const RunRequest& request, Variant variant);

// Of a run that ended well, while its folder is there.
Status read_outputs(const RankLaunch& launch, RunOutcome& outcome);

}  // namespace cuco::gpu
