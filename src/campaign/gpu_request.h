// What a user asks of real GPUs, and the request that it makes together with what is asked of every evaluation.
#pragma once

#include <string>

#include "campaign/evaluation_request.h"
#include "gpu/evaluate.h"

namespace cuco::campaign {

struct GpuOptions {
  std::string hosts, launcher;
  uint32_t device = 0;
  uint32_t collective_ctas_max = gpu::SessionRequest().collective_ctas_max;
  uint32_t iterations = gpu::GpuRequest().iterations;
};

// Whether the user asks for GPUs; an error lists what --on may be.
Result<bool> runs_on_gpus(const EvaluationOptions& options);

// The baseline itself is not checked on the virtual cluster: it is the oracle.
Result<gpu::GpuRequest> make_gpu_request(const EvaluationOptions& options, const GpuOptions& gpu_options,
                                         Context& context);

}  // namespace cuco::campaign
