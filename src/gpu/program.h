// One program, baseline or candidate, built with nvcc and run on GPUs inside the sandbox. device/cuco/gpu_runner.cu is
// linked into it: the runner draws inputs, poisons outputs, starts ranks together, times each call of the region and
// writes what the judge reads; the program itself reports nothing. A program without the harness comes with marks
// around its region (plain.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "evaluate/cache.h"
#include "evaluate/capture.h"
#include "evaluate/confined_program.h"
#include "evaluate/network_use.h"
#include "gpu/session/session.h"
#include "gpu/toolchain.h"

namespace cuco::gpu {

// What is left out, for the bound: times of a program without one of its halves.
enum class Variant : uint8_t { Whole, WithoutCommunication, WithoutKernels };

struct RunRequest {
  std::string run_key;
  uint32_t warmups = 2;
  uint32_t iterations = 10;
  bool capture = true;                              // Outputs are written for the judge.
  uint64_t capture_bytes_max = uint64_t{48} << 20;  // Of a rank, in all its iterations; beyond it, blocks are taken.
  uint32_t limit_s = 60;                            // Wall time of the whole run.
  uint32_t region_limit_s = 10;  // Of one call of the region; beyond it the ranks hang and are killed.
  Variables variables;           // Besides the session's: NCCL_MAX_CTAS and the like.
  bool repeats = true;           // Of a program without the harness; false: every run calls its region once.
  uint32_t devices = 0;          // Of a program without the harness whose ranks share a GPU: how many it sees.
};

// One call of the region by one rank, on the rank's own clock from the common start.
struct TimedCall {
  uint32_t rank = 0, iteration = 0;  // Counts warm-up too.
  bool is_timed = false;
  double us = 0;
  double waited_us = 0;  // Of its threads, the one that was longest ready to run and had no core.
};

// A rank that did not come back from its region, or died.
struct StuckRank {
  uint32_t rank = 0;
  uint32_t iteration = 0;
  std::vector<std::string> kernels;  // Launched last on streams that are not done.
};

// What a rank saw of itself besides its outputs: elements that nothing has written, work that outlived the region,
// calls of the harness that make no sense.
struct RankFault {
  uint32_t rank = 0;
  std::string kind;  // "unwritten_output", "leaking_work", "fault", "harness_misuse", "left_early"
  std::string text;
};

struct RunOutcome {
  std::string end = "ok";  // "ok", "hang", "exit", "signal", "limit", "refused"
  int exit_code = 0;
  std::string output;   // What the program printed; its end when it is long.
  std::string stopped;  // Why it was ended from outside; empty: it ended by itself.
  std::vector<TimedCall> calls;
  evaluate::Capture capture;
  bool capture_sampled = false;  // Outputs too large to compare whole: blocks at places drawn from the seed.
  std::vector<StuckRank> stuck;
  std::vector<RankFault> faults;
  uint32_t reporting_ranks = 0;  // Of a program without the harness; 0: all.
  DeviceState before, after;
  std::optional<evaluate::NetworkUse> network;  // Of the timed calls, over an emulated NIC.
};

// What nvcc links a program with besides NCCL and MPI, by the headers that it includes.
std::vector<std::string> libraries_of(const std::vector<SourceFile>& files);

class Program {
 public:
  static Result<Program> make(const std::vector<SourceFile>& files, const evaluate::ProgramSetting& setting,
                              const evaluate::Tools& tools, const Toolchain& toolchain, const std::string& architecture,
                              const evaluate::Cache& cache = {});

  // The runner alone, once; build() does it as well. An error is of the machine, not of the program.
  Status build_runner();
  // The message of an error is nvcc's, with names of files as they were given. Needs no GPU. One executable serves all
  // variants: what is left out is left out at run time, inside the region.
  Status build(Variant variant = Variant::Whole);
  // After build() of that variant. A hang is an outcome; after it the session has been recovered.
  Result<RunOutcome> run(const RunRequest& request, Session& session, Variant variant = Variant::Whole) const;

 private:
  struct Impl;
  explicit Program(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cuco::gpu
