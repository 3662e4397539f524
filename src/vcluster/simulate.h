// Runs a program on the virtual cluster. One build, then one child process per schedule, so that nothing the program
// does can harm cuco.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "vcluster/build_image.h"
#include "vcluster/call_loop.h"
#include "vcluster/capture.h"
#include "vcluster/run_report.h"

namespace cuco::vcluster {

// How the runner calls the region of a program that uses the harness (BuildRequest::harness), or what it captures of
// one that does not.
struct HarnessRequest {
  bool plain = false;  // Outputs of a program without a harness are captured; warmups and iterations are its own.
  std::vector<Watch> watches;
  std::vector<Upload> perturbed;     // Of a plain program: see runtime/harness/plain_inputs.h.
  std::vector<ReadBack> read_backs;  // Likewise: what it reads after every call of its region in a loop.
  std::filesystem::path capture;     // Where its outputs go; empty: nowhere. Every schedule writes it anew.
  std::string run_key;               // Of the inputs; independent of the schedule's seed. See input_keys.h.
  CallLoop loop;                     // Of a run that verifies; one that is timed has:
  uint32_t warmups = 1;
  uint32_t iterations = 3;
  bool nudged = false;  // Repeat these on inputs that are a little larger and smaller; see runtime/harness/harness.h.
  // Of a sampled run in a checking build: parts of the last call's outputs are captured, as far as the run has them
  // right; see runtime/recording/validity.h.
  bool compared = false;
  std::vector<WantedPlace> wanted;  // Then: what had better be among them.
};

// Of processor time, for one run, unless something else is asked for.
constexpr int kTimeLimitS = 300;

struct SimulationRequest {
  BuildRequest build;  // Its folder is where everything of this simulation is written.
  HarnessRequest harness;
  std::vector<std::string> arguments;
  uint32_t rank_count = 2;
  uint32_t node_count = 1;
  std::filesystem::path profile;  // A .toml file.
  bool own_device = false;        // A process sees the GPU of its rank alone, as launchers can arrange.
  bool may_own_device = false;    // Where NCCL refuses ranks that share a GPU, all runs are made with own_device.
  uint64_t seed = 0;
  uint32_t schedule_count = 1;  // Seeds seed, seed + 1, ...
  int time_limit_s = kTimeLimitS;  // Of processor time, per schedule.
  uint64_t memory_mib_max = 0;  // Of the host's memory, per schedule; 0: half of what there is.
  bool sample = false;          // Time full sizes: a few blocks stand for the others of their grid.
  std::filesystem::path trace;  // Of the first schedule; empty: none.
  // Where model/access_trace.h of the first schedule goes; empty: nowhere. Needs a checking build.
  std::filesystem::path accesses;
  bool only_accesses = false;    // The hooks of the checking build serve `accesses` alone: nothing is checked.
  std::filesystem::path runner;  // The executable cuco-vcluster; see default_runner().
  bool confined = false;         // The program is not trusted, and a sandbox runs the runner.
  std::function<void(const std::string&)> progress;  // What is done next; may be empty.
};

struct ScheduleResult {
  uint64_t seed = 0;
  std::string output;  // What the program printed.
  RunReport report;
};

struct SimulationReport {
  std::vector<ScheduleResult> schedules;
  bool own_device = false;  // How they were run.
};

// An error means that the program could not be built or started. What the program does wrong is in the report.
Result<SimulationReport> simulate(const SimulationRequest& request, const LowerFunction& lower,
                                  ProcessRunner& processes);

// One run of an image that build_image() made of request.build.
Result<ScheduleResult> run_schedule(const SimulationRequest& request, const Image& image, uint64_t seed,
                                    ProcessRunner& processes);

// cuco-vcluster beside the running binary.
Result<std::filesystem::path> default_runner();

// cuco-costs.so beside the running binary or in ../lib/cuco; for BuildRequest::cost_plugin.
Result<std::filesystem::path> default_cost_plugin();

// cuco-checks.so, likewise; for BuildRequest::check_plugin.
Result<std::filesystem::path> default_check_plugin();

}  // namespace cuco::vcluster
