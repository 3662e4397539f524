// Which directives a site may take on some hardware, and one sentence for each reason against.
//
// A rule is a function over (site, directive, hardware) and a row in the table of its file (*_rules.cpp). It looks at
// the dimensions that its row names and at no others: enumeration and the report rely on that to try each rule only on
// the combinations that matter to it. Combinations that would mean the same thing have one legal spelling.
#pragma once

#include <bit>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "space/directive.h"
#include "space/facts.h"

namespace cuco::space {

struct Violation {
  std::string_view rule;  // Id, such as "lsa-one-node".
  std::string reason;     // One sentence with the names and numbers of this case, without a full stop.
};

struct Proposal {
  const SiteFacts& site;
  const Directive& directive;
  const model::HardwareProfile& profile;
};

class DimensionSet {
 public:
  constexpr DimensionSet(std::initializer_list<Dimension> dimensions) {
    for (Dimension dimension : dimensions) bits_ |= bit(dimension);
  }
  constexpr bool contains(Dimension dimension) const { return (bits_ & bit(dimension)) != 0; }
  constexpr size_t size() const { return static_cast<size_t>(std::popcount(bits_)); }
  constexpr Dimension last() const {
    Dimension latest = Dimension::Backend;
    for (Dimension dimension : kDimensions)
      if (contains(dimension)) latest = dimension;
    return latest;
  }

 private:
  static constexpr unsigned bit(Dimension dimension) { return 1u << static_cast<unsigned>(dimension); }
  unsigned bits_ = 0;
};

struct Rule {
  std::string_view id;
  DimensionSet dimensions;  // All that the rule looks at.
  std::optional<std::string> (*objection)(const Proposal&);
};

// Rules about one site, in the order of the documentation's table.
const std::vector<Rule>& site_rules();

std::vector<Violation> check(const SiteFacts& site, const Directive& directive, const model::HardwareProfile& profile);
bool is_legal(const SiteFacts& site, const Directive& directive, const model::HardwareProfile& profile);

}  // namespace cuco::space
