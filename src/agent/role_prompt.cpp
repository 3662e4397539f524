#include "agent/role_prompt.h"

#include <utility>

#include "base/text.h"

namespace cuco::agent {

Result<RolePrompt> make_role_prompt(const PromptTemplate& words, const std::vector<Section>& sections,
                                    uint64_t prompt_tokens_max) {
  uint64_t own = llm::tokens_about_bytes(words.own_bytes());
  if (own >= prompt_tokens_max)
    return Error{concat("the instructions alone take ", own, " of the ", prompt_tokens_max, " tokens of a prompt")};
  CUCO_TRY(FittedSections fitted, fit_sections(sections, prompt_tokens_max - own));
  FilledPrompt filled = words.fill(fitted.texts);
  RolePrompt result;
  result.prompt.system = std::move(filled.system);
  result.prompt.messages = {{llm::Role::User, std::move(filled.user)}};
  result.sizes = {{"instructions", own, own}};
  result.sizes.insert(result.sizes.end(), fitted.sizes.begin(), fitted.sizes.end());
  return result;
}

}  // namespace cuco::agent
