// A language model behind one small interface: a prompt goes in, a reply comes out. Who answers, how often a call is
// tried, what it costs and where it is recorded is settled when the model is opened (open_model.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::llm {

enum class Role : uint8_t { User, Assistant };

struct Message {
  Role role = Role::User;
  std::string text;

  bool operator==(const Message&) const = default;
};

struct Prompt {
  std::string system;                                // May be empty.
  std::vector<Message> messages;                     // Begins and ends with the user, roles alternate.
  uint64_t max_tokens = 32'000;                      // Of the reply.
  std::optional<double> temperature = std::nullopt;  // Unset leaves the model's own; several models accept no other.

  bool operator==(const Prompt&) const = default;
};

enum class StopReason : uint8_t { Finished, MaxTokens, Refused, Other };

struct Usage {
  uint64_t input_tokens = 0;
  uint64_t output_tokens = 0;
  bool estimated = false;  // The provider did not say; counted from the length of the texts.

  bool operator==(const Usage&) const = default;
};

struct Reply {
  std::string text;
  Usage usage;
  std::optional<double> cost_usd = std::nullopt;  // Unset when the price of the model is not known.
  StopReason stop_reason = StopReason::Finished;

  bool operator==(const Reply&) const = default;
};

// What the caller of a model hears, and says, while a call is under way. Called from the thread of the call.
class Progress {
 public:
  virtual ~Progress() = default;
  // A piece of the reply, and how many tokens there are so far: an estimate until the provider states the count.
  virtual void on_text(std::string_view, uint64_t /*output_tokens*/) {}
  virtual void on_retry(const std::string& /*reason*/, int64_t /*wait_ms*/) {}
  // True ends the call, with an error, within a tenth of a second.
  virtual bool cancelled() const { return false; }
};

class Model {
 public:
  virtual ~Model() = default;
  virtual Result<Reply> complete(const Prompt& prompt, Progress& progress) = 0;
};

// At least as many tokens as any known tokenizer makes of program text: what a budget must set aside.
uint64_t tokens_at_most(const Prompt& prompt);
// The likely count, for display.
uint64_t tokens_about(std::string_view text);
uint64_t tokens_about_bytes(uint64_t bytes);

std::string_view name_of(Role role);
std::string_view name_of(StopReason reason);

// The prompt as one text, for whoever is not an HTTP endpoint: "### SYSTEM", "### USER" and "### ASSISTANT" lines head
// the parts.
std::string to_text(const Prompt& prompt);

}  // namespace cuco::llm
