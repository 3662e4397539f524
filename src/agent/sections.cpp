#include "agent/sections.h"

#include <algorithm>

#include "base/text.h"
#include "llm/model.h"

namespace cuco::agent {

namespace {

uint64_t total(const std::vector<Section>& sections) {
  uint64_t tokens = 0;
  for (const Section& section : sections) tokens += llm::tokens_about(section.text);
  return tokens;
}

std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> entries;
  for (const std::string& line : split(text, '\n')) {
    if (entries.empty() || line.starts_with(kEntryMark)) entries.emplace_back();
    std::string& entry = entries.back();
    entry += entry.empty() ? line : "\n" + line;
  }
  return entries;
}

// As many leading lines or entries as fit, and a last line that says how many are gone.
std::string shortened(const Section& section, uint64_t tokens_max) {
  std::vector<std::string> units = section.by_entry ? entries_of(section.text) : split(section.text, '\n');
  std::string kept;
  size_t taken = 0;
  auto mark = [&] {
    size_t lost = units.size() - taken;
    return concat("[", section.by_entry ? counted(lost, "entry", "entries") : counted(lost, "line"), " left out]\n");
  };
  auto bytes_with_next = [&] { return kept.size() + units[taken].size() + 1 + mark().size(); };
  while (taken < units.size() && llm::tokens_about_bytes(bytes_with_next()) <= tokens_max)
    kept += units[taken++] + "\n";
  return kept + mark();
}

Error too_large(const std::vector<Section>& sections, uint64_t tokens_max) {
  std::vector<std::string> parts;
  for (const Section& section : sections)
    if (section.gives_way == 0) parts.push_back(concat(section.name, " ", llm::tokens_about(section.text)));
  return Error{concat("the prompt does not fit: what must stay whole takes more than ", tokens_max, " tokens (",
                      join(parts, ", "), ")")};
}

}  // namespace

Result<FittedSections> fit_sections(const std::vector<Section>& sections, uint64_t tokens_max) {
  std::vector<Section> fitted = sections;
  std::vector<size_t> order;
  for (size_t i = 0; i < fitted.size(); ++i)
    if (fitted[i].gives_way > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return fitted[a].gives_way < fitted[b].gives_way; });
  for (size_t index : order) {
    uint64_t all = total(fitted);
    if (all <= tokens_max) break;
    uint64_t own = llm::tokens_about(fitted[index].text);
    uint64_t excess = all - tokens_max;
    fitted[index].text = shortened(fitted[index], own > excess ? own - excess : 0);
  }
  if (total(fitted) > tokens_max) return too_large(sections, tokens_max);
  FittedSections result;
  for (size_t i = 0; i < fitted.size(); ++i) {
    result.sizes.push_back({fitted[i].name, llm::tokens_about(fitted[i].text), llm::tokens_about(sections[i].text)});
    result.texts[fitted[i].name] = std::move(fitted[i].text);
  }
  return result;
}

std::string size_report(const std::vector<SectionSize>& sizes) {
  uint64_t tokens = 0;
  std::vector<std::string> parts;
  for (const SectionSize& size : sizes) {
    tokens += size.tokens_sent;
    std::string whole = size.tokens_sent < size.tokens_whole ? concat(" of ", size.tokens_whole) : "";
    parts.push_back(concat(size.name, " ", size.tokens_sent, whole));
  }
  return concat("about ", tokens, " tokens: ", join(parts, ", "));
}

}  // namespace cuco::agent
