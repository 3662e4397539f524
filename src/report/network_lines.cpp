#include "report/network_lines.h"

#include "base/text.h"
#include "evaluate/verdict.h"

namespace cuco::report {

std::optional<evaluate::NetworkUse> network_use(const Entry& entry) {
  if (!entry.judgement()) return std::nullopt;
  evaluate::Verdict verdict = evaluate::verdict_from_json(entry.judgement()->verdict);
  return verdict.measurement ? verdict.measurement->network : std::nullopt;
}

std::string doubt_words(const Entry& entry) {
  if (!entry.judgement()) return "";
  evaluate::Verdict verdict = evaluate::verdict_from_json(entry.judgement()->verdict);
  return evaluate::own_timing_doubt(verdict).empty() ? "" : "; not valid for timing";
}

std::vector<std::string> network_lines(const RunView& view) {
  std::vector<std::string> lines;
  auto add = [&](const char* name, store::Id id) {
    const Entry* entry = view.find(id);
    std::optional<evaluate::NetworkUse> use = entry ? network_use(*entry) : std::nullopt;
    if (use) lines.push_back(concat(name, ": ", evaluate::to_text(*use)));
  };
  add("baseline", view.baseline);
  if (view.best != view.baseline) add("best", view.best);
  return lines;
}

}  // namespace cuco::report
