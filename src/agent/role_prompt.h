// From the sections of a role to the prompt that is sent, and the size of each of its parts.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/prompt_template.h"
#include "agent/sections.h"
#include "base/result.h"
#include "llm/model.h"

namespace cuco::agent {

struct RolePrompt {
  llm::Prompt prompt;
  std::vector<SectionSize> sizes;  // The role's own words come first, as "instructions".
};

Result<RolePrompt> make_role_prompt(const PromptTemplate& words, const std::vector<Section>& sections,
                                    uint64_t prompt_tokens_max);

}  // namespace cuco::agent
