// The options of commands that run programs on real GPUs, and the request they make together with those of every
// evaluation.
#pragma once

#include <string>

#include "cli/evaluation_input.h"
#include "gpu/evaluate.h"

namespace cuco::cli {

struct GpuOptions {
  std::string hosts, launcher;
  uint32_t device = 0;
  uint32_t collective_ctas_max = gpu::SessionRequest().collective_ctas_max;
  uint32_t iterations = gpu::GpuRequest().iterations;
};

void add_gpu_choice(CLI::App& command, GpuOptions& options);

// Whether the user asks for GPUs; an error lists what --on may be.
Result<bool> runs_on_gpus(const EvaluationOptions& options);

// The baseline itself is not checked on the virtual cluster: it is the oracle.
Result<gpu::GpuRequest> make_gpu_request(const EvaluationOptions& options, const GpuOptions& gpu_options,
                                         Context& context);

}  // namespace cuco::cli
