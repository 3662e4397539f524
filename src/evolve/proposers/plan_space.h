// The part of the design space that can be reached for one program: legal by the rules of space/, and accepted by the
// rewriter. The ends of one exchange are a unit and get one directive. What the rewriter accepts is asked for on demand
// and remembered; it is a pure function of the plan, so asking in another order changes nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"
#include "space/facts.h"
#include "space/legality.h"
#include "space/plan.h"
#include "store/records.h"

namespace cuco::evolve {

// A program text for the plan, or why there is none. Pure.
using WritePlan = std::function<Result<std::vector<SourceFile>>(const space::Plan&)>;

class PlanSpace {
 public:
  PlanSpace(std::vector<space::SiteFacts> sites, model::HardwareProfile profile, space::Plan fast_path,
            WritePlan write);

  size_t unit_count() const { return units_.size(); }
  const space::Plan& fast_path() const { return fast_path_; }
  const std::vector<space::SiteFacts>& sites() const { return sites_; }
  const model::HardwareProfile& profile() const { return profile_; }

  const space::Directive& directive(const space::Plan& plan, size_t unit) const;
  space::Plan with(space::Plan plan, size_t unit, const space::Directive& directive) const;

  // Legal directives of a unit whose backend and placement the rewriter can write at all. The host's call is among
  // them.
  const std::vector<space::Directive>& options(size_t unit);

  // The option closest to `wanted` that agrees with it in all `required` dimensions and can be written while the rest
  // of the program is on the fast path.
  std::optional<space::Directive> nearest(size_t unit, const space::Directive& wanted,
                                          const space::DimensionSet& required);

  // Chunks that cut a unit's message: in 2, 4 and 8 parts where its size is known, else a few sizes. Largest first.
  std::vector<uint64_t> cuts(size_t unit) const;

  bool is_legal(const space::Plan& plan) const;
  Result<std::vector<SourceFile>> write(const space::Plan& plan) const { return write_(plan); }

 private:
  struct Unit {
    std::vector<size_t> sites;
    std::vector<space::Directive> legal;
    std::optional<std::vector<space::Directive>> options;
    std::map<space::Directive, bool> writable;
  };

  std::vector<space::Directive> legal_directives(const Unit& unit) const;
  bool is_legal_everywhere(const Unit& unit, const space::Directive& directive) const;
  bool is_writable(size_t unit, const space::Directive& directive);

  std::vector<space::SiteFacts> sites_;
  model::HardwareProfile profile_;
  space::Plan fast_path_;
  WritePlan write_;
  std::vector<Unit> units_;
};

}  // namespace cuco::evolve
