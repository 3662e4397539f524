// Chat completions, streamed, as OpenAI defined them and Azure and many servers (vLLM, llama.cpp, Ollama, DeepSeek,
// OpenRouter, Gemini's compatible endpoint) speak them.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/api_error.h"
#include "llm/json_access.h"
#include "llm/sigv4.h"
#include "llm/wire_format.h"

namespace cuco::llm {

namespace {

StopReason chat_stop_reason(const std::string& word) {
  if (word == "stop") return StopReason::Finished;
  if (word == "length") return StopReason::MaxTokens;
  return word == "content_filter" ? StopReason::Refused : StopReason::Other;
}

void read_chat_usage(const Json& holder, Usage& usage) {
  usage.input_tokens = std::max(usage.input_tokens, count_at(holder, "/usage/prompt_tokens"));
  usage.output_tokens = std::max(usage.output_tokens, count_at(holder, "/usage/completion_tokens"));
}

struct Endpoint {
  std::string url;
  std::string model;
  std::string key;         // Empty for servers that ask for none.
  std::string key_header;  // "authorization: Bearer " or "api-key: ".
  std::string key_variable;
  bool newer_limit_name = false;  // OpenAI renamed "max_tokens"; most other servers know the old name only.
};

class ChatFormat : public WireFormat {
 public:
  explicit ChatFormat(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  HttpRequest request(const Prompt& prompt, const Concessions& concessions) const override {
    bool newer_name = endpoint_.newer_limit_name != concessions.other_limit_name;
    Json body = {{"model", endpoint_.model}, {"stream", true}};
    body[newer_name ? "max_completion_tokens" : "max_tokens"] = prompt.max_tokens;
    if (!concessions.no_stream_options) body["stream_options"] = {{"include_usage", true}};
    if (prompt.temperature && !concessions.no_temperature) body["temperature"] = *prompt.temperature;
    Json& messages = body["messages"] = Json::array();
    if (!prompt.system.empty()) messages.push_back({{"role", "system"}, {"content", prompt.system}});
    for (const Message& message : prompt.messages)
      messages.push_back({{"role", name_of(message.role)}, {"content", message.text}});
    HttpRequest request{endpoint_.url, {"content-type: application/json"}, dump(body)};
    if (!endpoint_.key.empty()) request.headers.push_back(endpoint_.key_header + endpoint_.key);
    return request;
  }

  std::optional<Failure> on_event(const SseEvent& event, StreamState& state) const override {
    if (trim(event.data) == "[DONE]") {
      state.ended = true;
      return std::nullopt;
    }
    Json data = parse_json(event.data);
    if (!data.is_object()) return Failure{concat("a piece of the reply is not JSON: ", excerpt(event.data)), true};
    if (const Json* error = find(data, "/error"); error != nullptr && !error->is_null()) return failure_of_object(data);
    state.text += text_at(data, "/choices/0/delta/content");
    if (std::string stop = text_at(data, "/choices/0/finish_reason"); !stop.empty())
      state.stop = chat_stop_reason(stop);
    read_chat_usage(data, state.usage);
    return std::nullopt;
  }

  Attempt on_body(std::string_view text) const override {
    Json body = parse_json(text);
    if (find(body, "/error") != nullptr) return failure_of_object(body);
    if (find(body, "/choices/0/message") == nullptr) return Failure{concat("no reply in: ", excerpt(text))};
    Reply reply;
    reply.text = text_at(body, "/choices/0/message/content");
    read_chat_usage(body, reply.usage);
    reply.stop_reason = chat_stop_reason(text_at(body, "/choices/0/finish_reason"));
    return reply;
  }

  std::vector<std::string> secrets() const override { return {endpoint_.key}; }
  std::string key_variable() const override { return endpoint_.key_variable; }

 private:
  Endpoint endpoint_;
};

Result<Endpoint> openai_endpoint(const ModelSpec& spec, const Environment& environment) {
  CUCO_TRY(std::string key, required_variable(environment, "OPENAI_API_KEY", spec));
  std::string base = variable_or(environment, "OPENAI_BASE_URL", "https://api.openai.com/v1");
  return Endpoint{base + "/chat/completions", spec.name, key, "authorization: Bearer ", "OPENAI_API_KEY", true};
}

// A variable that the spec names must be set; the common one may be missing, since local servers ask for no key. The
// key of OpenAI itself is never sent to another host.
Result<Endpoint> compatible_endpoint(const ModelSpec& spec, const Environment& environment) {
  std::string variable = spec.key_variable.empty() ? "OPENAI_COMPATIBLE_API_KEY" : spec.key_variable;
  CUCO_TRY(std::string key, spec.key_variable.empty() ? variable_or(environment, variable, "")
                                                      : required_variable(environment, variable, spec));
  return Endpoint{spec.where + "/chat/completions", spec.name, key, "authorization: Bearer ", variable, false};
}

// Azure's v1 path names the deployment in the body; its older, dated API in the path.
Result<Endpoint> azure_endpoint(const ModelSpec& spec, const Environment& environment) {
  CUCO_TRY(std::string key, required_variable(environment, "AZURE_OPENAI_API_KEY", spec));
  std::string base = spec.where;
  if (base.empty()) {
    CUCO_TRY(base, required_variable(environment, "AZURE_OPENAI_ENDPOINT", spec));
    while (base.ends_with('/')) base.pop_back();
  }
  std::string version = variable_or(environment, "AZURE_OPENAI_API_VERSION", "");
  std::string dated = concat(base, "/openai/deployments/", percent_encoded(spec.name, false),
                             "/chat/completions?api-version=", version);
  return Endpoint{version.empty() ? base + "/openai/v1/chat/completions" : dated,
                  spec.name,
                  key,
                  "api-key: ",
                  "AZURE_OPENAI_API_KEY",
                  true};
}

}  // namespace

FormatResult make_chat_format(const ModelSpec& spec, const Environment& environment) {
  auto make = spec.kind == ProviderKind::OpenAi  ? openai_endpoint
              : spec.kind == ProviderKind::Azure ? azure_endpoint
                                                 : compatible_endpoint;
  CUCO_TRY(Endpoint endpoint, make(spec, environment));
  return std::unique_ptr<WireFormat>(std::make_unique<ChatFormat>(endpoint));
}

}  // namespace cuco::llm
