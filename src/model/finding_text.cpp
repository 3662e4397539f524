#include "model/finding_text.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"

namespace cuco::model {

namespace {

constexpr size_t kPlacesMax = 4;

bool is_error(const ShownFinding& finding) { return finding.severity == Severity::Error; }

std::string line_of(const ShownFinding& finding) {
  return concat(is_error(finding) ? "" : concat(name_of(finding.severity), ": "), finding.kind,
                finding.whose.empty() ? "" : concat(", ", finding.whose), ": ", finding.text);
}

// The first FILE:LINE that the text names; empty when it names none.
std::string place_named_in(const std::string& text) {
  for (std::string word : split(text, ' ')) {
    while (!word.empty() && !std::isdigit(static_cast<unsigned char>(word.back()))) word.pop_back();
    size_t colon = word.rfind(':');
    if (colon == word.npos || colon == 0 || colon + 1 == word.size()) continue;
    if (std::all_of(word.begin() + static_cast<ptrdiff_t>(colon) + 1, word.end(),
                    [](unsigned char c) { return std::isdigit(c); }))
      return word;
  }
  return "";
}

std::string others_text(const std::vector<const ShownFinding*>& alike) {
  if (alike.size() == 1) return "";
  std::vector<std::string> places;
  for (size_t i = 1; i < alike.size() && places.size() < kPlacesMax; i++)
    if (std::string place = place_named_in(alike[i]->text); !place.empty()) places.push_back(place);
  std::string at = places.empty() ? "" : concat(", at ", join(places, ", "));
  bool leaves_out = !places.empty() && places.size() + 1 < alike.size();
  return concat("; and ", alike.size() - 1, " more like it", at, leaves_out ? ", ..." : "");
}

void add_repeat(const ShownFinding& finding, const ShownFinding* next, std::vector<std::string>& lines) {
  if (finding.repeat.empty() || (next && next->repeat == finding.repeat)) return;
  lines.push_back(concat("  repeat: ", finding.repeat));
}

void add_errors(const std::vector<const ShownFinding*>& errors, size_t errors_max, std::vector<std::string>& lines) {
  size_t shown = std::min(errors.size(), errors_max);
  for (size_t i = 0; i < shown; i++) {
    lines.push_back(line_of(*errors[i]));
    add_repeat(*errors[i], i + 1 < shown ? errors[i + 1] : nullptr, lines);
  }
  if (errors.size() > shown) lines.push_back(concat("and ", errors.size() - shown, " more"));
}

}  // namespace

std::vector<std::string> finding_lines(const std::vector<ShownFinding>& findings, size_t errors_max) {
  std::vector<const ShownFinding*> errors;
  std::vector<std::vector<const ShownFinding*>> groups;  // Of the others, in order of their first.
  std::map<std::string, size_t> group_of;
  for (const ShownFinding& finding : findings) {
    if (is_error(finding)) {
      errors.push_back(&finding);
      continue;
    }
    auto [known, is_new] = group_of.try_emplace(concat(name_of(finding.severity), " ", finding.kind), groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(&finding);
  }
  std::vector<std::string> lines;
  add_errors(errors, errors_max, lines);
  for (const std::vector<const ShownFinding*>& alike : groups)
    lines.push_back(line_of(*alike.front()) + others_text(alike));
  return lines;
}

}  // namespace cuco::model
