#include "space/legality.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "space/resources.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

std::vector<Rule> collect_rules() {
  std::vector<Rule> all;
  for (std::span<const Rule> table : {backend_rules(), placement_rules(), sync_rules(), issue_rules()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace

const std::vector<Rule>& site_rules() {
  static const std::vector<Rule> rules = collect_rules();
  return rules;
}

std::vector<Violation> check(const SiteFacts& site, const Directive& directive, const model::HardwareProfile& profile) {
  std::vector<Violation> violations;
  for (const Rule& rule : site_rules())
    if (Objection reason = rule.objection({site, directive, profile}))
      violations.push_back({rule.id, *std::move(reason)});
  return violations;
}

bool is_legal(const SiteFacts& site, const Directive& directive, const model::HardwareProfile& profile) {
  return std::ranges::none_of(site_rules(), [&](const Rule& rule) {
    return rule.objection({site, directive, profile}).has_value();
  });
}

Objection spinning_grid_too_large(const std::vector<LinkedWork>& works, const model::HardwareProfile& profile) {
  for (const LinkedWork& work : works) {
    uint64_t resident = resident_ctas_max(profile.gpu, work.block_threads.value_or(1));
    if (work.grid_ctas.value_or(0) > resident)
      return concat("all ", *work.grid_ctas, " CTAs of ", in_backticks(work.name), " would spin, and at most ",
                    resident, " are resident at once on the ", profile.gpu.sm_count, " SMs of ", profile.name);
  }
  return std::nullopt;
}

std::string bytes_text(uint64_t bytes) {
  static constexpr std::array<std::string_view, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return concat(bytes, " ", kUnits[unit]);
}

}  // namespace cuco::space
