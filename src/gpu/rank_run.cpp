#include "gpu/rank_run.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/untrusted_file.h"
#include "evaluate/sandbox.h"
#include "vcluster/input_keys.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMemoryOfARank = uint64_t{24} << 30;
constexpr uint64_t kReportBytesMax = uint64_t{16} << 20;
constexpr size_t kOutputKept = 16 << 10;

std::string rest_of(std::istringstream& in) {
  std::string rest;
  std::getline(in, rest);
  return std::string(trim(rest));
}

// "unwritten I NAME K": names may have blanks.
void take_unwritten(std::istringstream& in, uint32_t rank, RunOutcome& outcome) {
  uint32_t iteration = 0;
  in >> iteration;
  std::string rest = rest_of(in);
  size_t blank = rest.rfind(' ');
  if (blank == rest.npos) return;
  outcome.faults.push_back({rank, "unwritten_output",
                            concat("output ", rest.substr(0, blank), " of rank ", rank, " is not written at ",
                                   rest.substr(blank + 1), " of its elements in iteration ", iteration)});
}

void take_left(std::istringstream& in, uint32_t rank, RunOutcome& outcome) {
  uint32_t iteration = 0;
  in >> iteration;
  outcome.faults.push_back({rank, "leaking_work",
                            concat("rank ", rank, ": ", rest_of(in), " is still under way when the region returns in ",
                                   "iteration ", iteration, "; it must wait for it")});
}

void take_error(std::istringstream& in, uint32_t rank, RunOutcome& outcome) {
  uint32_t iteration = 0;
  in >> iteration;
  outcome.faults.push_back(
      {rank, "fault", concat("the GPU of rank ", rank, " fails in iteration ", iteration, ": ", rest_of(in))});
}

StuckRank& stuck_rank(uint32_t rank, RunOutcome& outcome) {
  if (outcome.stuck.empty() || outcome.stuck.back().rank != rank) outcome.stuck.push_back({rank, 0, {}});
  return outcome.stuck.back();
}

void take_call(std::istringstream& in, uint32_t rank, RunOutcome& outcome) {
  TimedCall call;
  call.rank = rank;
  int is_timed = 0;
  if (!(in >> call.iteration >> is_timed >> call.us)) return;
  call.is_timed = is_timed == 1;
  in >> call.waited_us;
  outcome.calls.push_back(call);
}

void take_line(const std::string& line, uint32_t rank, RunOutcome& outcome) {
  std::istringstream in(line);
  std::string word;
  in >> word;
  if (word == "call") take_call(in, rank, outcome);
  if (word == "unwritten") take_unwritten(in, rank, outcome);
  if (word == "left") take_left(in, rank, outcome);
  if (word == "error") take_error(in, rank, outcome);
  if (word == "sampled") outcome.capture_sampled = true;
  if (word == "ranks") in >> outcome.reporting_ranks;
  if (word == "stuck") in >> stuck_rank(rank, outcome).iteration;
  if (word == "kernel") stuck_rank(rank, outcome).kernels.push_back(rest_of(in));
  if (word == "misuse") outcome.faults.push_back({rank, "harness_misuse", rest_of(in)});
  if (word == "refused") {
    outcome.end = "refused";
    outcome.output = rest_of(in);
  }
}

// The iteration that a rank entered and did not return from, if any.
std::optional<uint32_t> open_iteration(const std::string& report) {
  std::optional<uint32_t> open;
  for (const std::string& line : split(report, '\n')) {
    if (line.starts_with("enter ")) open = static_cast<uint32_t>(std::strtoul(line.c_str() + 6, nullptr, 10));
    if (line.starts_with("call ")) open.reset();
  }
  return open;
}

// Whoever is inside its region when time is over hangs, also when its own watchdog could not say so.
void add_silent(const std::string& report, uint32_t rank, RunOutcome& outcome) {
  bool known =
      std::any_of(outcome.stuck.begin(), outcome.stuck.end(), [&](const StuckRank& each) { return each.rank == rank; });
  if (std::optional<uint32_t> iteration = open_iteration(report); iteration && !known)
    outcome.stuck.push_back({rank, *iteration, {}});
}

evaluate::SandboxRequest sandbox_for(const RankLaunch& launch, const RunRequest& request) {
  evaluate::SandboxRequest sandbox;
  sandbox.confinement = evaluate::Confinement::Ranks;
  sandbox.writable = launch.folder;
  sandbox.readable = launch.readable;
  sandbox.shared = launch.shared;
  sandbox.devices = evaluate::gpu_devices();
  sandbox.rank_count = launch.rank_count;
  sandbox.bubblewrap = launch.sandbox;
  // Ranks poll while they wait, in several threads each.
  sandbox.processor_s = request.limit_s * 8 + 10;
  sandbox.memory_bytes = kMemoryOfARank * launch.rank_count;
  sandbox.written_bytes = request.capture_bytes_max * launch.rank_count * 2 + kReportBytesMax;
  return sandbox;
}

// A rank's own key tells nothing about its peers' inputs, and is gone before any region is called.
Status write_keys(const RankLaunch& launch, const std::string& run_key) {
  for (uint32_t rank = 0; rank < launch.rank_count; rank++) {
    RankKey key = vcluster::rank_key_of(run_key, rank);
    std::string text = concat(key.low, " ", key.high, "\n");
    CUCO_CHECK(write_file(launch.folder / concat("key.", rank), text));
  }
  return Done{};
}

void take_reports(const RankLaunch& launch, RunOutcome& outcome) {
  std::vector<bool> complete(launch.rank_count, false);
  for (uint32_t rank = 0; rank < launch.rank_count; rank++) {
    Result<std::string> report = read_untrusted_file(launch.folder / concat("report.", rank), kReportBytesMax);
    if (!report) continue;
    bool is_complete = false;
    take_report(*report, rank, outcome, is_complete);
    complete[rank] = is_complete;
    if (!outcome.stopped.empty() || !outcome.stuck.empty()) add_silent(*report, rank, outcome);
  }
  conclude(complete, outcome);
}

}  // namespace

Status read_outputs(const RankLaunch& launch, RunOutcome& outcome) {
  for (uint32_t rank = 0; rank < launch.rank_count; rank++) {
    fs::path path = launch.folder / concat("outputs.", rank);
    if (fs::symlink_status(path).type() == fs::file_type::not_found) continue;
    CUCO_TRY(evaluate::Capture capture, evaluate::read_capture(path));
    std::move(capture.begin(), capture.end(), std::back_inserter(outcome.capture));
  }
  return Done{};
}

std::string settings_text(const RunRequest& request, Variant variant) {
  return concat("warmups ", request.warmups, "\niterations ", request.iterations, "\ncapture_bytes ",
                request.capture ? request.capture_bytes_max : 0, "\nregion_limit_s ", request.region_limit_s,
                "\nleft_out ", static_cast<int>(variant), "\nrepeats ", request.repeats ? 1 : 0, "\ndevices ",
                request.devices, "\n");
}

void take_report(const std::string& text, uint32_t rank, RunOutcome& outcome, bool& is_complete) {
  is_complete = false;
  for (const std::string& line : split(printable(text), '\n')) {
    take_line(line, rank, outcome);
    is_complete = is_complete || line == "over";
  }
}

void conclude(const std::vector<bool>& complete, RunOutcome& outcome) {
  if (outcome.end == "refused") return;
  constexpr int kSignal = 128;
  bool is_plain = outcome.reporting_ranks > 0;
  auto end = is_plain ? complete.begin() + std::min<size_t>(outcome.reporting_ranks, complete.size()) : complete.end();
  auto missing = std::find(complete.begin(), end, false);
  if (!outcome.stuck.empty())
    outcome.end = "hang";
  else if (!outcome.stopped.empty())
    outcome.end = "limit";
  else if (outcome.exit_code > kSignal)
    outcome.end = "signal";
  else if (is_plain && missing == end)
    outcome.end = "ok";  // Its exit code is of checks of its own, which may not bear a region that is called again.
  else if (outcome.exit_code != 0)
    outcome.end = "exit";
  else if (missing != end) {
    outcome.end = "exit";
    auto rank = static_cast<uint32_t>(missing - complete.begin());
    outcome.faults.push_back({rank, "left_early", concat("rank ", rank, " ends before its last iteration")});
  }
}

Result<RunOutcome> run_ranks(const RankLaunch& launch, const RunRequest& request, Variant variant) {
  CUCO_CHECK(write_file(launch.folder / "settings", settings_text(request, variant)));
  CUCO_CHECK(write_keys(launch, request.run_key));
  evaluate::Sandbox sandbox(sandbox_for(launch, request));
  Result<ProcessOutput> output = sandbox.run(launch.command, static_cast<int>(request.limit_s) * 1000);
  if (processes_interrupted()) return Error{"interrupted"};
  RunOutcome outcome;
  if (output) {
    outcome.exit_code = output->exit_code;
    outcome.output =
        output->text.size() > kOutputKept ? output->text.substr(output->text.size() - kOutputKept) : output->text;
  } else {
    outcome.stopped = output.error().message;
    outcome.output = outcome.stopped;
  }
  take_reports(launch, outcome);
  return outcome;
}

}  // namespace cuco::gpu
