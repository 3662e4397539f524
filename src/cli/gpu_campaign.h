// From what a user asks of GPUs to a campaign: where its times come from, and what the virtual cluster is asked first.
#pragma once

#include "cli/gpu_input.h"
#include "evolve/campaign.h"

namespace cuco::cli {

// Looks for the GPUs and chooses both configurations, which go into the setting. The result is for the virtual cluster.
Result<evaluate::EvaluationRequest> place_on_gpus(const EvaluationOptions& options, const GpuOptions& gpu,
                                                  const evaluate::Workload& workload, evolve::CampaignSetting& setting,
                                                  Context& context);

// How candidates are judged, as the request for the baseline has it.
void take_evaluation(const evaluate::EvaluationRequest& request, evolve::CampaignSetting& setting);

}  // namespace cuco::cli
