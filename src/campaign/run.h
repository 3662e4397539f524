// One process's work on a run: what `optimize`, `resume` and `replay` have in common.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/context.h"
#include "campaign/progress_display.h"
#include "evolve/campaign.h"
#include "evolve/plan_writer.h"
#include "evolve/search.h"
#include "store/log.h"
#include "store/run_folder.h"
#include "store/store.h"

namespace cuco::campaign {

// What the user chooses each time; none of it changes a result.
struct RunChoice {
  uint32_t jobs = 0;  // 0: the cores there are.
  std::string cache;  // Empty: the usual folder.
  bool single_file = false;
  bool json = false;
};

// A campaign ready to be searched: its program read and analysed.
struct CampaignRun {
  evolve::CampaignSetting setting;
  evaluate::EvaluationRequest request;
  evolve::PlanWriter writer;
  uint32_t jobs = 1;
};

// Nothing is run: the writer has traced nothing yet.
Result<CampaignRun> analyze_run(evolve::CampaignSetting setting, const RunChoice& choice, Context& context);
// Of a setting that has its proof sizes.
Result<CampaignRun> prepare_run(evolve::CampaignSetting setting, const RunChoice& choice, Context& context);

CampaignRun through_staging(CampaignRun run);
// Tries the simplest device-initiated form. Where windows are what it fails by, all sites go through staging memory.
Status settle_windows(CampaignRun& run, Context& context);

// The program as it is, its sites on the host.
store::Candidate baseline_of(const CampaignRun& run);

enum class Source : uint8_t {
  Anything,  // Candidates are evaluated and models are asked where the log does not know the answer.
  LogAlone,
};

struct SearchPlace {
  store::Store& store;
  store::Log& log;
  Source source = Source::Anything;
  std::function<bool()> interrupted;
};

Result<evolve::Outcome> search_run(const CampaignRun& run, const SearchPlace& place, ProgressDisplay& display,
                                   Context& context);

// The search from where it stands to its end, its results and its summary. The folder is held by this process.
Status carry_out(const CampaignRun& run, const store::RunFolder& folder, const RunChoice& choice, Context& context);

// As find_run, and finds a run whose database was lost or not made before it was killed.
Result<std::filesystem::path> find_run_or_log(const std::string& given);

// Of a run whose database was lost, or not made before it was killed, it begins one.
Result<store::Store> open_store(const store::RunFolder& folder, const evolve::CampaignSetting& setting);

}  // namespace cuco::campaign
