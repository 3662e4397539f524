// From what a user asks of GPUs to a campaign: where its times come from, and what the virtual cluster is asked first.
#pragma once

#include <string>

#include "campaign/gpu_request.h"
#include "evolve/campaign.h"

namespace cuco::campaign {

// Chooses both configurations and looks for the GPUs; the setting gets what it found. The result is for the virtual
// cluster. An error says what is missing.
Result<evaluate::EvaluationRequest> place_on_gpus(const EvaluationOptions& options, const GpuOptions& gpu,
                                                  evolve::CampaignSetting& setting, Context& context);

// How candidates are judged, as the request for the baseline has it.
void take_evaluation(const evaluate::EvaluationRequest& request, evolve::CampaignSetting& setting);

// What the GPUs of a campaign are opened with.
gpu::SessionRequest session_request(const evolve::CampaignSetting& setting);

// --on and the options of add_gpu_choice, as they would be typed; empty for the virtual cluster.
std::string gpu_selection_text(const EvaluationOptions& evaluation, const GpuOptions& options);

}  // namespace cuco::campaign
