#include "evolve/proposers/change_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace cuco::evolve {
namespace {

constexpr size_t kChangesMax = 4;
constexpr double kShareMin = 0.05;  // Of the time; less is no reason for anything.

// Sites that change to the same value are named together.
std::vector<std::string> changes(const space::Plan& before, const space::Plan& after) {
  std::vector<Trait> old_traits = traits_of(before);
  std::map<std::pair<Axis, std::string>, std::vector<std::string>> sites;
  for (const Trait& trait : traits_of(after))
    if (std::ranges::find(old_traits, trait) == old_traits.end())
      sites[{trait.axis, trait.value}].push_back(trait.site);
  std::vector<std::string> texts;
  for (const auto& [change, names] : sites) {
    std::string text = concat(name_of(change.first), " to ", change.second);
    texts.push_back(names.front().empty() ? text : concat(text, " at ", join(names, ", ")));
  }
  return texts;
}

std::string listed(std::vector<std::string> texts) {
  if (texts.size() > kChangesMax) {
    size_t more = texts.size() - kChangesMax + 1;
    texts.resize(kChangesMax - 1);
    texts.push_back(concat(more, " others"));
  }
  if (texts.size() == 1) return texts.front();
  std::string last = texts.back();
  texts.pop_back();
  return concat(join(texts, ", "), " and ", last);
}

struct Share {
  const char* name;
  double us;
};

}  // namespace

std::string intent_text(const space::Plan& before, const space::Plan& after, const std::string& reason) {
  std::vector<std::string> texts = changes(before, after);
  if (texts.empty()) return concat("Keeps the plan, because ", reason, ".");
  return concat("Changes ", listed(texts), ", because ", reason, ".");
}

std::string reason_to_move(Axis axis, const Member& parent) {
  if (!parent.verdict.timing) return concat("another ", name_of(axis), " may pay");
  const evaluate::CriticalPath& path = parent.verdict.timing->path;
  double sum = path.compute_us + path.copy_us + path.exposed_communication_us + path.launch_us + path.wait_us;
  std::array<Share, 3> shares = {{{"exposed communication", path.exposed_communication_us},
                                  {"waiting for peers", path.wait_us},
                                  {"launching", path.launch_us}}};
  const Share& most = *std::ranges::max_element(shares, {}, &Share::us);
  if (sum <= 0 || most.us < kShareMin * sum) return concat("another ", name_of(axis), " may pay");
  return concat(std::round(most.us / sum * 100), " % of the time of #", parent.candidate.id, " is ", most.name);
}

}  // namespace cuco::evolve
