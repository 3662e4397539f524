#include "agent/proposer.h"

#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "llm/model.h"

namespace cuco::agent {

namespace {

constexpr ProposalKind kKinds[] = {ProposalKind::Full, ProposalKind::Diff, ProposalKind::Crossover};

std::vector<std::string> names_in(ProposalKind kind) {
  std::vector<std::string> names = {"api_rules", "machine", "analysis", "lessons",   "failures", "inspirations",
                                    "blocks",    "program", "verdict",  "directive", "draw"};
  if (kind == ProposalKind::Crossover) names.insert(names.end(), {"other", "other_verdict"});
  return names;
}

// The words around a section bring the empty lines.
std::string without_end_lines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string or_none(const std::string& text, const char* none) { return trim(text).empty() ? none : text; }

}  // namespace

std::string_view name_of(ProposalKind kind) {
  switch (kind) {
    case ProposalKind::Full:
      return "full";
    case ProposalKind::Diff:
      return "diff";
    case ProposalKind::Crossover:
      return "crossover";
  }
  CUCO_ASSERT(false);
}

Result<ProposerPrompts> ProposerPrompts::load(const std::filesystem::path& share, ProposerLimits limits) {
  std::map<ProposalKind, PromptTemplate> words;
  for (ProposalKind kind : kKinds) {
    Result<PromptTemplate> read = PromptTemplate::load(share, concat("propose_", name_of(kind)), names_in(kind));
    if (!read) return read.error();
    words.emplace(kind, *std::move(read));
  }
  return ProposerPrompts(std::move(words), limits);
}

std::string ProposerPrompts::shown(const EditableProgram& program) const {
  std::string whole = shown_whole(program);
  double most = static_cast<double>(limits_.prompt_tokens_max) * limits_.program_share_max;
  if (static_cast<double>(llm::tokens_about(whole)) <= most) return whole;
  return shown_blocks(program, limits_.frozen_edge_lines);
}

Result<RolePrompt> ProposerPrompts::make(ProposalKind kind, const ProposalRequest& request) const {
  std::vector<Section> sections = {
      {"api_rules", request.api_rules, 0},
      {"machine", or_none(request.machine, "Nothing was given."), 0},
      {"analysis", or_none(request.analysis, "Nothing was given."), 1},
      {"lessons", or_none(request.lessons, "None yet."), 4},
      {"failures", or_none(request.failures, "Nothing."), 3, true},
      {"inspirations", or_none(request.inspirations, "None yet."), 2, true},
      {"blocks", outline(request.program), 0},
      {"program", shown(request.program), 0},
      {"verdict", request.verdict, 0},
      {"directive", request.directive, 0},
      {"draw", request.draw, 0},
  };
  if (kind == ProposalKind::Crossover) {
    sections.push_back({"other", shown_blocks_only(request.other), 0});
    sections.push_back({"other_verdict", request.other_verdict, 0});
  }
  for (Section& section : sections) section.text = without_end_lines(std::move(section.text));
  Result<RolePrompt> made = make_role_prompt(words_.at(kind), sections, limits_.prompt_tokens_max);
  if (made) made->prompt.max_tokens = limits_.reply_tokens_max;
  return made;
}

}  // namespace cuco::agent
