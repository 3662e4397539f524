#include "agent/summariser.h"

namespace cuco::agent {

namespace {

const char* const kEmptyPad = "It is empty.";

std::string shown_pad(const std::string& scratchpad) { return scratchpad.empty() ? kEmptyPad : scratchpad; }

}  // namespace

Result<SummariserPrompts> SummariserPrompts::load(const std::filesystem::path& share, SummariserLimits limits) {
  CUCO_TRY(PromptTemplate summarise, PromptTemplate::load(share, "lessons_summarise", {"candidates"}));
  CUCO_TRY(PromptTemplate update, PromptTemplate::load(share, "lessons_scratchpad", {"scratchpad", "summary"}));
  CUCO_TRY(PromptTemplate recommend, PromptTemplate::load(share, "lessons_recommend", {"scratchpad", "best"}));
  return SummariserPrompts(std::move(summarise), std::move(update), std::move(recommend), limits);
}

Result<RolePrompt> SummariserPrompts::make(const PromptTemplate& words, const std::vector<Section>& sections) const {
  Result<RolePrompt> made = make_role_prompt(words, sections, limits_.prompt_tokens_max);
  if (made) made->prompt.max_tokens = limits_.reply_tokens_max;
  return made;
}

Result<RolePrompt> SummariserPrompts::summarise(const std::string& candidates) const {
  return make(summarise_, {{"candidates", candidates, 1, true}});
}

Result<RolePrompt> SummariserPrompts::update(const std::string& scratchpad, const std::string& summary) const {
  return make(update_, {{"scratchpad", shown_pad(scratchpad), 2}, {"summary", summary, 1}});
}

Result<RolePrompt> SummariserPrompts::recommend(const std::string& scratchpad, const std::string& best) const {
  return make(recommend_, {{"scratchpad", shown_pad(scratchpad), 1}, {"best", best, 0}});
}

}  // namespace cuco::agent
