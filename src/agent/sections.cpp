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

// As many leading lines as fit, and a last line that says how many are gone.
std::string shortened(const std::string& text, uint64_t tokens_max) {
  std::vector<std::string> lines = split(text, '\n');
  std::string kept;
  size_t taken = 0;
  auto mark = [&] { return concat("[", counted(lines.size() - taken, "line"), " left out]\n"); };
  auto bytes_with_next = [&] { return kept.size() + lines[taken].size() + 1 + mark().size(); };
  while (taken < lines.size() && llm::tokens_about_bytes(bytes_with_next()) <= tokens_max)
    kept += lines[taken++] + "\n";
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
    fitted[index].text = shortened(fitted[index].text, own > excess ? own - excess : 0);
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
