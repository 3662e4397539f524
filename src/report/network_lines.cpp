#include "report/network_lines.h"

#include "base/text.h"
#include "evaluate/verdict.h"

namespace cuco::report {

namespace {

evaluate::Verdict verdict_of(const Entry& entry) {
  return entry.judgement() ? evaluate::verdict_from_json(entry.judgement()->verdict) : evaluate::Verdict{};
}

}  // namespace

std::optional<evaluate::NetworkUse> network_use(const Entry& entry) {
  evaluate::Verdict verdict = verdict_of(entry);
  return verdict.measurement ? verdict.measurement->network : std::nullopt;
}

double waited_share(const Entry& entry) {
  evaluate::Verdict verdict = verdict_of(entry);
  return verdict.timing ? verdict.timing->waited_share : 0;
}

std::string doubt_words(const Entry& entry) {
  return evaluate::own_timing_doubt(verdict_of(entry)).empty() ? "" : "; not valid for timing";
}

std::vector<std::string> network_lines(const RunView& view) {
  std::vector<std::string> lines;
  auto add = [&](const char* name, store::Id id) {
    const Entry* entry = view.find(id);
    if (!entry) return;
    if (std::optional<evaluate::NetworkUse> use = network_use(*entry))
      lines.push_back(concat(name, ": ", evaluate::to_text(*use)));
    if (waited_share(*entry) > evaluate::kWaitedShareMax)
      lines.push_back(concat(name, ": not valid for timing: ", evaluate::own_timing_doubt(verdict_of(*entry))));
  };
  add("baseline", view.baseline);
  if (view.best != view.baseline) add("best", view.best);
  return lines;
}

}  // namespace cuco::report
