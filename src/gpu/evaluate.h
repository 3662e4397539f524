// The cascade on real GPUs: text, build and verification on the virtual cluster first, at the proof sizes, so
// that no GPU second goes to a program that is known to be wrong; then nvcc, a run on the GPUs whose outputs are
// compared with the baseline's of the same inputs, and times.
//
// Time is that of the slowest rank from a common start, the median over iterations with its spread. The bound is
// measured: the baseline without its communication and, where it works, without its kernels.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "gpu/program.h"

namespace cuco::gpu {

struct Baseline {
  std::string name;  // "as written", "NCCL at its best: symmetric windows, 8 CTAs"
  double median_us = 0, least_us = 0, most_us = 0;
};

struct GpuRequest {
  // Its case runs on the GPUs. Its proof sizes run on the virtual cluster before.
  evaluate::EvaluationRequest request;
  SessionRequest session;
  uint32_t iterations = 10;
  Variables variables;           // Of the candidate's runs, such as its limit of CTAs.
  std::optional<Program> built;  // Of the candidate, when somebody has built it before.
  std::string repeat;            // The command that repeats a run on the GPUs; may be empty.
  bool skip_check = false;       // The candidate is the baseline, or has passed on the virtual cluster already.
  double bound_below_us = 0;     // A faster candidate is timed without its communication, too: that is its bound then.
};

// What can be refused without looking for a GPU: ranks elsewhere that are to be confined.
Status check_request(const GpuRequest& request);

// An error means that there is nothing to compare with or no way to run. `verdict.executor` names where the times are
// of.
Result<evaluate::Verdict> evaluate(const GpuRequest& request, Session& session, const Toolchain& toolchain);

// Are these two medians different by more than both spreads explain?
bool is_faster(const evaluate::Timing& candidate, const evaluate::Timing& baseline);

}  // namespace cuco::gpu
