// What a finished run leaves for people: best/ with the program, best.plan, report.html in its folder, and a summary of
// one screen.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/delivery.h"
#include "campaign/run.h"
#include "report/run_view.h"

namespace cuco::campaign {

Result<report::RunView> view_of_run(const store::Store& store, const evolve::Outcome& outcome);

Result<Delivery> write_run_results(const CampaignRun& run, const report::RunView& view,
                                   const std::filesystem::path& folder, Form form);
// Before the search: an error says why they could not be written.
Status check_run_results(const CampaignRun& run, const std::filesystem::path& folder, Form form);

struct SummaryInput {
  const report::RunView& view;
  const CampaignRun& run;
  std::filesystem::path folder;
  const Delivery& delivery;
  double seconds = 0;  // Of this process.
};

std::string summary_text(const SummaryInput& input);
std::string summary_json(const SummaryInput& input);

// "large, 2 ranks on 2 nodes, profile a100-2node-roce", "large, 4 ranks on 1 node, one-gpu with NVIDIA H200".
std::string setting_words(const evolve::CampaignSetting& setting);

}  // namespace cuco::campaign
