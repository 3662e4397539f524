#include "cli/run_proposers.h"

namespace cuco::cli {

Result<std::vector<evolve::ProposerChoice>> make_proposers(const CampaignRun&, const SearchPlace&, Context&) {
  return std::vector<evolve::ProposerChoice>();
}

}  // namespace cuco::cli
