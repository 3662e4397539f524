// How one family of HTTP endpoints writes prompts and replies. A format holds the key it was made with and shows it
// only in the headers of its requests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "llm/clock.h"
#include "llm/http.h"
#include "llm/model_spec.h"
#include "llm/provider.h"
#include "llm/sse.h"

namespace cuco::llm {

// What an endpoint has refused, and how requests go without it.
struct Concessions {
  bool no_temperature = false;
  bool no_stream_options = false;
  bool other_limit_name = false;  // "max_tokens" instead of "max_completion_tokens", or the other way round.
};

// A streamed reply so far.
struct StreamState {
  std::string text;
  Usage usage;
  std::optional<StopReason> stop;
  bool ended = false;  // The stream said that nothing follows.
};

class WireFormat {
 public:
  virtual ~WireFormat() = default;
  virtual HttpRequest request(const Prompt& prompt, const Concessions& concessions) const = 0;
  virtual std::optional<Failure> on_event(const SseEvent& event, StreamState& state) const = 0;
  // A reply that came as one JSON document, asked for or not.
  virtual Attempt on_body(std::string_view body) const = 0;
  // What must not appear in any message.
  virtual std::vector<std::string> secrets() const = 0;
  // Where the user set, or could set, the key.
  virtual std::string key_variable() const = 0;
};

// A missing key or region is an error that names the environment variable.
using FormatResult = Result<std::unique_ptr<WireFormat>>;
FormatResult make_anthropic_format(const ModelSpec& spec, const Environment& environment);
// OpenAI, what is compatible with it, and Azure.
FormatResult make_chat_format(const ModelSpec& spec, const Environment& environment);
// Bedrock; the clock dates its signatures.
FormatResult make_converse_format(const ModelSpec& spec, const Environment& environment, Clock& clock);

// Of the environment; set but empty counts as missing.
Result<std::string> required_variable(const Environment& environment, const std::string& name, const ModelSpec& spec);
std::string variable_or(const Environment& environment, const std::string& name, const std::string& fallback);

}  // namespace cuco::llm
