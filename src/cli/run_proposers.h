// Who proposes in a run: the rules and the models that its campaign names.
#pragma once

#include <vector>

#include "cli/campaign_run.h"

namespace cuco::cli {

Result<std::vector<evolve::ProposerChoice>> make_proposers(const CampaignRun& run, const SearchPlace& place,
                                                           Context& context);

}  // namespace cuco::cli
