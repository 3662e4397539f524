#include "llm/model.h"

#include "base/text.h"

namespace cuco::llm {

namespace {

// Program text has 2.5 to 4 bytes a token with the tokenizers of 2024 to 2026; 2 keeps a budget on the safe side.
constexpr uint64_t kBytesPerTokenMin = 2;
constexpr uint64_t kBytesPerTokenTypical = 4;
// What a wire format adds around a message.
constexpr uint64_t kTokensPerMessage = 16;

}  // namespace

uint64_t tokens_at_most(const Prompt& prompt) {
  uint64_t bytes = prompt.system.size();
  for (const Message& message : prompt.messages) bytes += message.text.size();
  return bytes / kBytesPerTokenMin + kTokensPerMessage * (prompt.messages.size() + 1);
}

uint64_t tokens_about(std::string_view text) { return tokens_about_bytes(text.size()); }
uint64_t tokens_about_bytes(uint64_t bytes) { return (bytes + kBytesPerTokenTypical - 1) / kBytesPerTokenTypical; }

std::string_view name_of(Role role) { return role == Role::User ? "user" : "assistant"; }

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::Finished:
      return "finished";
    case StopReason::MaxTokens:
      return "max-tokens";
    case StopReason::Refused:
      return "refused";
    case StopReason::Other:
      break;
  }
  return "other";
}

std::string to_text(const Prompt& prompt) {
  std::string text;
  if (!prompt.system.empty()) text = concat("### SYSTEM\n", prompt.system, "\n\n");
  for (const Message& message : prompt.messages)
    text += concat(message.role == Role::User ? "### USER\n" : "### ASSISTANT\n", message.text, "\n\n");
  return text;
}

}  // namespace cuco::llm
