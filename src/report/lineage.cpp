#include "report/lineage.h"

#include <set>

#include "base/number_text.h"
#include "base/text.h"

namespace cuco::report {

namespace {

using Children = std::map<store::Id, std::vector<store::Id>>;

std::set<store::Id> way_to(const RunView& view, store::Id id) {
  std::set<store::Id> way;
  // A parent is older than its child, so that this ends even for a damaged store.
  for (const Entry* entry = view.find(id); entry != nullptr && way.insert(entry->candidate.id).second;)
    entry = view.find(entry->candidate.parent);
  return way;
}

std::string line_of(const RunView& view, const Entry& entry) {
  std::optional<double> us = entry.time_us(), gain = speedup(view, entry);
  std::string result = us ? concat(duration(*us), gain ? concat(" (", factor(*gain), ")") : "") : "rejected";
  std::string other =
      entry.candidate.other_parent == store::kNoId ? "" : concat(", also from #", entry.candidate.other_parent);
  return concat(" ", result, ", ", entry.candidate.proposer, other, ": ", entry.candidate.intent);
}

void write_entry(Html& html, const RunView& view, store::Id id, const Children& children,
                 const std::set<store::Id>& way) {
  const Entry& entry = *view.find(id);
  html.open("li", {{"class", way.contains(id) ? "way" : entry.passed() ? "passed" : "failed"}});
  html.element("a", concat("#", id), {{"href", concat("#c", id)}});
  html.text(line_of(view, entry));
  if (auto found = children.find(id); found != children.end()) {
    html.open("ul");
    for (store::Id child : found->second) write_entry(html, view, child, children, way);
    html.close();
  }
  html.close();
}

}  // namespace

void write_lineage(Html& html, const RunView& view) {
  Children children;
  for (const Entry& entry : view.entries) {
    bool has_parent = entry.candidate.parent > store::kNoId && entry.candidate.parent < entry.candidate.id;
    children[has_parent ? entry.candidate.parent : store::kNoId].push_back(entry.candidate.id);
  }
  std::set<store::Id> way = way_to(view, view.best);
  html.open("ul", {{"class", "lineage"}});
  for (store::Id root : children[store::kNoId]) write_entry(html, view, root, children, way);
  html.close();
}

}  // namespace cuco::report
