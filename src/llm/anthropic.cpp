// Anthropic's Messages API, streamed.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/api_error.h"
#include "llm/json_access.h"
#include "llm/wire_format.h"

namespace cuco::llm {

namespace {

constexpr const char* kKeyVariable = "ANTHROPIC_API_KEY";

StopReason anthropic_stop_reason(const std::string& word) {
  if (word == "end_turn" || word == "stop_sequence") return StopReason::Finished;
  if (word == "max_tokens" || word == "model_context_window_exceeded") return StopReason::MaxTokens;
  return word == "refusal" ? StopReason::Refused : StopReason::Other;
}

// Counts are cumulative, and absent ones leave what was known. Input read from or written to a cache is listed apart.
void read_anthropic_usage(const Json& holder, Usage& usage) {
  uint64_t input = count_at(holder, "/usage/input_tokens") + count_at(holder, "/usage/cache_read_input_tokens") +
                   count_at(holder, "/usage/cache_creation_input_tokens");
  usage.input_tokens = std::max(usage.input_tokens, input);
  usage.output_tokens = std::max(usage.output_tokens, count_at(holder, "/usage/output_tokens"));
}

class AnthropicFormat : public WireFormat {
 public:
  AnthropicFormat(std::string model, std::string base_url, std::string key)
      : model_(std::move(model)), base_url_(std::move(base_url)), key_(std::move(key)) {}

  HttpRequest request(const Prompt& prompt, const Concessions& concessions) const override {
    Json body = {{"model", model_}, {"max_tokens", prompt.max_tokens}, {"stream", true}, {"messages", Json::array()}};
    if (!prompt.system.empty()) body["system"] = prompt.system;
    if (prompt.temperature && !concessions.no_temperature) body["temperature"] = *prompt.temperature;
    for (const Message& message : prompt.messages)
      body["messages"].push_back({{"role", name_of(message.role)}, {"content", message.text}});
    return {base_url_ + "/v1/messages",
            {"content-type: application/json", "anthropic-version: 2023-06-01", "x-api-key: " + key_},
            dump(body)};
  }

  std::optional<Failure> on_event(const SseEvent& event, StreamState& state) const override {
    Json data = parse_json(event.data);
    if (!data.is_object()) return Failure{concat("a piece of the reply is not JSON: ", excerpt(event.data)), true};
    std::string type = text_at(data, "/type");
    if (type == "error") return failure_of_object(data);
    if (type == "message_start") read_anthropic_usage(data["message"], state.usage);
    if (type == "content_block_delta") state.text += text_at(data, "/delta/text");
    if (type == "message_delta") {
      read_anthropic_usage(data, state.usage);
      if (std::string stop = text_at(data, "/delta/stop_reason"); !stop.empty())
        state.stop = anthropic_stop_reason(stop);
    }
    state.ended |= type == "message_stop";
    return std::nullopt;
  }

  Attempt on_body(std::string_view text) const override {
    Json body = parse_json(text);
    const Json* content = find(body, "/content");
    if (content == nullptr || !content->is_array()) return Failure{concat("no reply in: ", excerpt(text))};
    Reply reply;
    for (const Json& part : *content) reply.text += text_at(part, "/text");
    read_anthropic_usage(body, reply.usage);
    reply.stop_reason = anthropic_stop_reason(text_at(body, "/stop_reason"));
    return reply;
  }

  std::vector<std::string> secrets() const override { return {key_}; }
  std::string key_variable() const override { return kKeyVariable; }

 private:
  std::string model_;
  std::string base_url_;
  std::string key_;
};

}  // namespace

FormatResult make_anthropic_format(const ModelSpec& spec, const Environment& environment) {
  CUCO_TRY(std::string key, required_variable(environment, kKeyVariable, spec));
  std::string base_url = variable_or(environment, "ANTHROPIC_BASE_URL", "https://api.anthropic.com");
  return std::unique_ptr<WireFormat>(std::make_unique<AnthropicFormat>(spec.name, base_url, key));
}

}  // namespace cuco::llm
