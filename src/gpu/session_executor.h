// Jobs of a search on real GPUs, under one session. The GPUs are locked while ranks run, so that several searches can
// build and verify side by side and take turns on the GPUs.
#pragma once

#include <memory>

#include "gpu/evaluate.h"
#include "gpu/executor.h"

namespace cuco::gpu {

struct ExecutorRequest {
  GpuRequest request;  // The baseline, what a job leaves open, and the session.
  std::string device;  // The name of the GPU that times must be of; empty: any.
  Toolchain toolchain;
};

// `processes` and `environment` must outlive it.
Result<std::unique_ptr<JobExecutor>> open_executor(const ExecutorRequest& request, ProcessRunner& processes,
                                                   const Environment& environment);

}  // namespace cuco::gpu
