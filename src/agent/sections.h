// What goes into a prompt, chosen by size. Sections that must stay whole do; the others give way in order, losing
// whole lines, or whole entries, from their ends and saying how many. Sizes are estimates in tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::agent {

struct Section {
  std::string name;  // The placeholder it fills.
  std::string text;
  int gives_way = 0;      // 0: never; else sections with the lowest number give way first.
  bool by_entry = false;  // What is lost is whole entries: an entry begins with a line "### ...".
};

struct SectionSize {
  std::string name;
  uint64_t tokens_sent = 0;
  uint64_t tokens_whole = 0;

  bool operator==(const SectionSize&) const = default;
};

struct FittedSections {
  std::map<std::string, std::string> texts;
  std::vector<SectionSize> sizes;  // In the order given.
};

inline constexpr std::string_view kEntryMark = "### ";

// An error when what must stay whole does not fit.
Result<FittedSections> fit_sections(const std::vector<Section>& sections, uint64_t tokens_max);

// "about 5200 tokens: program 3000, analysis 200 of 1900"
std::string size_report(const std::vector<SectionSize>& sizes);

}  // namespace cuco::agent
