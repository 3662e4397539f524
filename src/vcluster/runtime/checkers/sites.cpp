#include "vcluster/runtime/checkers/sites.h"

#include <vector>

#include "vcluster/runtime/checkers/race_cells.h"

namespace cuco::vcluster {

namespace {

std::vector<const AccessSite*> sites = {nullptr};

}  // namespace

uint32_t give_number(const AccessSite& site) {
  if (sites.size() >> PackedAccess::kKindShift != 0) return 0;
  sites.push_back(&site);
  return site.number = static_cast<uint32_t>(sites.size() - 1);
}

const AccessSite* site_of(uint32_t number) { return sites[number]; }

}  // namespace cuco::vcluster
