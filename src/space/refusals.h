// Why combinations are not legal for a site, told once per reason instead of once per combination.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/legality.h"

namespace cuco::space {

struct Refusal {
  std::string_view rule;
  std::string subject;  // The values refused, by dimension: "lsa, multimem with peer-signal, chunk-signal".
  size_t combinations = 0;
  std::string reason;
  bool covered = false;  // Every one of these combinations has a value that another rule refuses by itself.

  bool operator==(const Refusal&) const = default;
};

// In the order of the rules. A combination that breaks several rules counts in each.
std::vector<Refusal> refusals(const SiteFacts& site, const model::HardwareProfile& profile);

}  // namespace cuco::space
