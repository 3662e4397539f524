// What cuco knows about one candidate after evaluating it, from whatever executor. A pure function of candidate,
// baseline, configuration and seeds on the virtual cluster, byte for byte in its JSON form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/network_use.h"
#include "model/source.h"
#include "model/traffic.h"

namespace cuco::evaluate {

// The levels of the cascade, in order. A verdict names the last one passed.
enum class Level : uint8_t { None, Text, Built, Verified, Timed };

struct Finding {
  Level level = Level::None;  // That did not pass because of it (or passed in spite of it, for a warning).
  std::string kind;           // "frozen_text", "build", "wrong_result", "leaking_work", "deadlock", "window_race", ...
  model::Severity severity = model::Severity::Error;
  int rank = -1;
  std::string text;                   // One sentence with its places.
  uint64_t seed = 0;                  // Of the schedule that showed it.
  std::string repeat;                 // The command that repeats it; may be empty.
  std::vector<int> other_ranks = {};  // That did the same.

  bool is_error() const { return severity == model::Severity::Error; }
};

struct CriticalPath {
  double compute_us = 0, copy_us = 0, exposed_communication_us = 0, launch_us = 0, wait_us = 0;
};

constexpr double kWaitedShareMax = 0.05;

struct Timing {
  double median_us = 0;  // Over iterations, of the slowest rank from a common start.
  double least_us = 0, most_us = 0;
  std::vector<double> rank_us;  // Of the iteration that is the median.
  CriticalPath path;            // Of its slowest rank.
  double bound_compute_us = 0, bound_communication_us = 0;
  double bound_order_us = 0;  // Of kernels that wait for each other in the order of the program; 0: unknown.
  bool sampled = false;       // By block sampling: a few blocks stood for the others, and data was not valid.
  double blocks_run = 1;      // Which share of the blocks ran in full.
  double spread_us = 0;       // Of real clocks: between the first and the third quarter of the iterations.
  // Of real clocks: for how much of the timed calls some thread of a rank was ready to run and had no core. What it
  // would have done meanwhile came later, so a time may be longer by this much.
  double waited_share = 0;

  // Of the same kernels and messages, in whatever order.
  double bound_in_any_order_us() const { return std::max(bound_compute_us, bound_communication_us); }
  double bound_us() const { return std::max(bound_in_any_order_us(), bound_order_us); }
};

// A GPU at one instant.
struct ClockState {
  uint32_t multiprocessor_mhz = 0, memory_mhz = 0;
  uint32_t temperature_c = 0;
  double power_w = 0;
  std::string throttled;  // Why its clocks are held down; empty: they are not.
};

// How a time that is not of the virtual clock came about.
struct Measurement {
  std::string machine;  // GPU, driver, versions, variables: whatever another time must share to be compared with.
  uint32_t iterations = 0;
  ClockState before, after;
  std::optional<Timing> baseline;
  std::optional<NetworkUse> network, baseline_network;  // When an emulated NIC was between the ranks.
};

// What the run of the first seed moved between ranks in its region, beside the baseline's.
struct SeenTraffic {
  model::Traffic own, baseline;
};

// What the candidate does in its timed region, as shares of what the baseline does there, by their bounds.
struct WorkShare {
  double compute = 1, bytes = 1;
};

struct Verdict {
  Level reached = Level::None;
  std::vector<Finding> findings;
  std::optional<Timing> timing;
  std::optional<double> baseline_us;        // When the candidate is not the baseline itself.
  std::optional<double> baseline_bound_us;  // Likewise, where the executor knows one.
  std::optional<WorkShare> work;            // Likewise.
  std::vector<std::string> proved_at;       // Sizes at which it was executed whole; none: at the case itself.
  std::vector<std::string> notes;           // What was not done and why: no nvcc here, ...
  uint32_t schedules_run = 0;
  std::optional<SeenTraffic> traffic;      // Of a candidate that was verified on the virtual cluster.
  std::string executor;                    // "mpi", "one-gpu"; empty: the virtual cluster.
  std::optional<Measurement> measurement;  // Of the other executors.
  std::optional<double> predicted_us;      // Of them too: by the virtual clock.
  double gpu_seconds = 0;                  // For which GPUs were held; 0 of the virtual cluster.

  bool passed() const;  // No finding of severity error.
};

// In a word: "rejected" or "passed".
const char* outcome_of(const Verdict& verdict);

// "16 schedules", "16 schedules at 3 sizes".
std::string proof_words(const Verdict& verdict);
// "1.4 % of the blocks run in full"; empty of a time that is not sampled.
std::string sample_words(const Verdict& verdict);

// Why the candidate's time is not valid. Empty: it is.
std::string own_timing_doubt(const Verdict& verdict);
// The same, or why the baseline's that it is compared with is not.
std::string timing_doubt(const Verdict& verdict);

// (t_baseline - t) / (t_baseline - t_bound); none without a baseline or when there is nothing to hide. The lower bound
// of candidate and baseline counts: whoever adds work of its own raises its bound, whoever skips padding lowers it.
std::optional<double> hidden_share(const Verdict& verdict);

std::string to_json(const Verdict& verdict);
Verdict verdict_from_json(const std::string& text);
// One screen.
std::string to_text(const Verdict& verdict);

const char* to_text(Level level);

}  // namespace cuco::evaluate
