// Source lines by number, so that the record of an access can name one in a few bits.
#pragma once

#include "vcluster/runtime/checkers/access.h"

namespace cuco::vcluster {

// From 1; 0 for no site and for those beyond the last number, whose place reports then leave out.
uint32_t give_number(const AccessSite& site);
const AccessSite* site_of(uint32_t number);

inline uint32_t number_of(const AccessSite* site) {
  if (!site) return 0;
  return site->number != 0 ? site->number : give_number(*site);
}

}  // namespace cuco::vcluster
