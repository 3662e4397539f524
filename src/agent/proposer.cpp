#include "agent/proposer.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "llm/model.h"

namespace cuco::agent {

namespace {

constexpr ProposalKind kKinds[] = {ProposalKind::Full, ProposalKind::Diff, ProposalKind::Crossover,
                                   ProposalKind::Repair};

// The words around a section bring the empty lines.
std::string without_end_lines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string or_none(const std::string& text, const char* none) { return trim(text).empty() ? none : text; }

void add_known(const ProposalRequest& request, std::vector<Section>& sections) {
  sections.push_back({"analysis", or_none(request.analysis, "Nothing was given."), 1});
  sections.push_back({"lessons", or_none(request.lessons, "None yet."), 4});
  sections.push_back({"failures", or_none(request.failures, "Nothing."), 3, true});
  sections.push_back({"inspirations", or_none(request.inspirations, "None yet."), 2, true});
  sections.push_back({"verdict", request.verdict, 0});
}

std::vector<Section> sections_of(ProposalKind kind, const ProposalRequest& request, Detail detail) {
  std::vector<Section> sections = {
      {"api_rules", request.api_rules, 0},     {"machine", or_none(request.machine, "Nothing was given."), 0},
      {"blocks", outline(request.program), 0}, {"program", shown(request.program, detail, request.api_rules), 0},
      {"directive", request.directive, 0},     {"draw", request.draw, 0},
  };
  if (kind == ProposalKind::Repair)
    sections.push_back({"rejection", request.rejection, 0});
  else
    add_known(request, sections);
  if (kind == ProposalKind::Crossover) {
    sections.push_back({"other", shown_blocks_only(request.other), 0});
    sections.push_back({"other_verdict", request.other_verdict, 0});
  }
  for (Section& section : sections) section.text = without_end_lines(std::move(section.text));
  return sections;
}

std::vector<std::string> names_in(ProposalKind kind) {
  std::vector<std::string> names;
  for (const Section& section : sections_of(kind, {}, Detail::Whole)) names.push_back(section.name);
  return names;
}

bool is_whole(const RolePrompt& prompt) {
  return std::ranges::all_of(prompt.sizes,
                             [](const SectionSize& size) { return size.tokens_sent == size.tokens_whole; });
}

}  // namespace

std::string_view name_of(ProposalKind kind) {
  switch (kind) {
    case ProposalKind::Full:
      return "full";
    case ProposalKind::Diff:
      return "diff";
    case ProposalKind::Crossover:
      return "crossover";
    case ProposalKind::Repair:
      return "repair";
  }
  CUCO_ASSERT(false);
}

Result<ProposerPrompts> ProposerPrompts::load(const std::filesystem::path& share, ProposerLimits limits) {
  std::map<ProposalKind, PromptTemplate> words;
  for (ProposalKind kind : kKinds) {
    CUCO_TRY(PromptTemplate read, PromptTemplate::load(share, concat("propose_", name_of(kind)), names_in(kind)));
    words.emplace(kind, std::move(read));
  }
  return ProposerPrompts(std::move(words), limits);
}

// The fullest form of the program with which nothing else is lost, else the shortest one that keeps the program's own
// text. Where that does not fit, edges of frozen text, and as little above the aim as the blocks need. Two programs
// that do not fit are not worth more: one of them can still be changed.
Result<RolePrompt> ProposerPrompts::make(ProposalKind kind, const ProposalRequest& request) const {
  const PromptTemplate& words = words_.at(kind);
  auto made_with = [&](Detail detail, uint64_t tokens_max) {
    Result<RolePrompt> made = make_role_prompt(words, sections_of(kind, request, detail), tokens_max);
    if (made) made->prompt.max_tokens = limits_.reply_tokens_max;
    return made;
  };
  for (Detail detail : {Detail::Whole, Detail::FrozenInShort, Detail::LibrariesInShort, Detail::LibrariesByName}) {
    Result<RolePrompt> made = made_with(detail, limits_.prompt_tokens_aim);
    bool is_last = detail == Detail::LibrariesByName;
    if (made ? is_whole(*made) || is_last : is_last && kind == ProposalKind::Crossover) return made;
  }
  uint64_t tokens = limits_.prompt_tokens_aim;
  Result<RolePrompt> made = made_with(Detail::FrozenEdges, tokens);
  while (!made && tokens < limits_.prompt_tokens_max) {
    tokens = std::min(tokens + tokens / 8, limits_.prompt_tokens_max);
    made = made_with(Detail::FrozenEdges, tokens);
  }
  return made;
}

}  // namespace cuco::agent
