// Which model a user means, in one word of the command line:
//   anthropic:NAME                     openai:NAME                    azure:DEPLOYMENT@ENDPOINT
//   openai-compatible:NAME@BASE_URL    bedrock:NAME@REGION
//   command:PROGRAM ARGUMENTS          mailbox:FOLDER
// BASE_URL ends where "/chat/completions" follows, such as http://localhost:8000/v1; "#VARIABLE" after it names the
// environment variable of the key. No form holds a key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco::llm {

enum class ProviderKind : uint8_t { Anthropic, OpenAi, OpenAiCompatible, Bedrock, Azure, Command, Mailbox };

struct ModelSpec {
  ProviderKind kind = ProviderKind::Anthropic;
  std::string name;          // Model, deployment, command line or folder.
  std::string where;         // URL or region; empty when the environment or the provider's default says.
  std::string key_variable;  // Of an OpenAI-compatible endpoint; empty for the provider's own variable.

  bool operator==(const ModelSpec&) const = default;
};

// Inverse of each other: *parse_model_spec(to_text(s)) == s.
std::string to_text(const ModelSpec& spec);
Result<ModelSpec> parse_model_spec(std::string_view text);

std::string_view name_of(ProviderKind kind);

}  // namespace cuco::llm
