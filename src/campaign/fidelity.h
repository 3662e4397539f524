// The virtual clock beside a real one, program by program.
#pragma once

#include <string>

#include "campaign/gpu_request.h"
#include "campaign/run.h"

namespace cuco::campaign {

struct FidelityOptions {
  EvaluationOptions evaluation;
  GpuOptions gpu;
  RunChoice choice;
  uint32_t candidates = 20;
  uint64_t seed = 1;
  std::string from;     // A run; empty: measure.
  bool retime = false;  // Of a run: by the virtual clock as it is, on the profile as it is or that was asked for.
};

Status show_fidelity(const FidelityOptions& options, Context& context);

}  // namespace cuco::campaign
