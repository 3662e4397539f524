// The role that proposes: what it is asked. Requests for something new share one order: the API, what is known of the
// program and of the search, the parent with its verdict, the design asked for. A repair has the API, the rejected
// program and why it was rejected. proposal_reply.h reads the answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "agent/editable_program.h"
#include "agent/prompt_template.h"
#include "agent/role_prompt.h"
#include "base/result.h"

namespace cuco::agent {

enum class ProposalKind : uint8_t { Full, Diff, Crossover, Repair };

std::string_view name_of(ProposalKind kind);

// Texts that are empty are said to be so. Analysis, inspirations, failures and lessons give way in this order, the
// middle two by whole entries (sections.h); nothing else does.
struct ProposalRequest {
  EditableProgram program;
  std::string verdict;    // Of the program.
  std::string directive;  // The design asked for, in words.
  std::string api_rules;
  std::string machine;  // And what the design space leaves open on it.
  std::string analysis;
  std::string inspirations, failures;
  std::string lessons;
  std::string draw;  // Tells requests apart that are the same in all else.

  EditableProgram other;  // Of a crossover.
  std::string other_verdict;
  std::string rejection;  // Of a repair: agent/rejection_text.h.
};

struct ProposerLimits {
  // What a request takes: libraries of a program are shown in short and what is known gives way until it does.
  uint64_t prompt_tokens_aim = 12'000;
  uint64_t prompt_tokens_max = 100'000;  // Where blocks alone take more than that.
  uint64_t reply_tokens_max = 32'000;
};

class ProposerPrompts {
 public:
  // From `share`/prompts/propose_*.txt.
  static Result<ProposerPrompts> load(const std::filesystem::path& share, ProposerLimits limits);

  // An error when what must stay whole does not fit.
  Result<RolePrompt> make(ProposalKind kind, const ProposalRequest& request) const;

  const ProposerLimits& limits() const { return limits_; }

 private:
  ProposerPrompts(std::map<ProposalKind, PromptTemplate> words, ProposerLimits limits)
      : words_(std::move(words)), limits_(limits) {}

  std::map<ProposalKind, PromptTemplate> words_;
  ProposerLimits limits_;
};

}  // namespace cuco::agent
