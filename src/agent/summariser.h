// The role that learns from candidates, in three requests: sum up what the latest ones show, bring the scratchpad up to
// date with that, and recommend what to try next. Whoever calls a model sends them in this order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "agent/prompt_template.h"
#include "agent/role_prompt.h"
#include "base/result.h"

namespace cuco::agent {

struct SummariserLimits {
  uint64_t prompt_tokens_max = 40'000;
  uint64_t reply_tokens_max = 4'000;
};

class SummariserPrompts {
 public:
  // From `share`/prompts/lessons_*.txt.
  static Result<SummariserPrompts> load(const std::filesystem::path& share, SummariserLimits limits);

  // `candidates` are entries (sections.h), of which the last give way.
  Result<RolePrompt> summarise(const std::string& candidates) const;
  Result<RolePrompt> update(const std::string& scratchpad, const std::string& summary) const;
  Result<RolePrompt> recommend(const std::string& scratchpad, const std::string& best) const;

 private:
  SummariserPrompts(PromptTemplate summarise, PromptTemplate update, PromptTemplate recommend, SummariserLimits limits)
      : summarise_(std::move(summarise)),
        update_(std::move(update)),
        recommend_(std::move(recommend)),
        limits_(limits) {}
  Result<RolePrompt> make(const PromptTemplate& words, const std::vector<Section>& sections) const;

  PromptTemplate summarise_, update_, recommend_;
  SummariserLimits limits_;
};

}  // namespace cuco::agent
