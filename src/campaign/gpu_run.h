// The parts of a run that are measured on GPUs: its baselines, and what opens the GPUs when a time is not in the log.
#pragma once

#include <vector>

#include "campaign/run.h"
#include "evolve/gpu_evaluator.h"

namespace cuco::campaign {

// Besides the program as it is.
evolve::NextBaselines gpu_baselines(const CampaignRun& run, const store::Candidate& as_written);

// Without what a search adds: its baselines, and who watches. The context must outlive it.
evolve::GpuEvaluatorSetting gpu_evaluator_setting(const CampaignRun& run, Context& context);

}  // namespace cuco::campaign
