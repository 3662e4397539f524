// Amazon Bedrock's Converse operation, not streamed: its streams are a binary format of their own.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/api_error.h"
#include "llm/json_access.h"
#include "llm/sigv4.h"
#include "llm/wire_format.h"

namespace cuco::llm {

namespace {

StopReason converse_stop_reason(const std::string& word) {
  if (word == "end_turn" || word == "stop_sequence") return StopReason::Finished;
  if (word == "max_tokens" || word == "model_context_window_exceeded") return StopReason::MaxTokens;
  return word == "guardrail_intervened" || word == "content_filtered" ? StopReason::Refused : StopReason::Other;
}

// Either a bearer token or credentials to sign with.
struct BedrockKeys {
  std::string bearer;
  AwsCredentials credentials;
};

Json body_of(const Prompt& prompt, const Concessions& concessions) {
  Json body = {{"messages", Json::array()}, {"inferenceConfig", {{"maxTokens", prompt.max_tokens}}}};
  if (prompt.temperature && !concessions.no_temperature) body["inferenceConfig"]["temperature"] = *prompt.temperature;
  if (!prompt.system.empty()) body["system"] = Json::array({{{"text", prompt.system}}});
  for (const Message& message : prompt.messages)
    body["messages"].push_back({{"role", name_of(message.role)}, {"content", Json::array({{{"text", message.text}}})}});
  return body;
}

class ConverseFormat : public WireFormat {
 public:
  ConverseFormat(const ModelSpec& spec, std::string region, std::string base_url, BedrockKeys keys, Clock& clock)
      : path_(concat("/model/", percent_encoded(spec.name, false), "/converse")),
        region_(std::move(region)),
        base_url_(std::move(base_url)),
        keys_(std::move(keys)),
        clock_(clock) {}

  HttpRequest request(const Prompt& prompt, const Concessions& concessions) const override {
    HttpRequest request{base_url_ + path_, {"content-type: application/json"}, dump(body_of(prompt, concessions))};
    if (keys_.bearer.empty())
      sign(request);
    else
      request.headers.push_back("authorization: Bearer " + keys_.bearer);
    return request;
  }

  std::optional<Failure> on_event(const SseEvent&, StreamState&) const override {
    return Failure{"an event stream came where Converse gives one document"};
  }

  Attempt on_body(std::string_view text) const override {
    Json body = parse_json(text);
    const Json* content = find(body, "/output/message/content");
    if (content == nullptr || !content->is_array()) return Failure{concat("no reply in: ", excerpt(text))};
    Reply reply;
    for (const Json& part : *content) reply.text += text_at(part, "/text");
    reply.usage = {count_at(body, "/usage/inputTokens"), count_at(body, "/usage/outputTokens"), false};
    reply.stop_reason = converse_stop_reason(text_at(body, "/stopReason"));
    return reply;
  }

  std::vector<std::string> secrets() const override {
    return {keys_.bearer, keys_.credentials.secret_access_key, keys_.credentials.session_token};
  }
  std::string key_variable() const override {
    return keys_.bearer.empty() ? "AWS_SECRET_ACCESS_KEY" : "AWS_BEARER_TOKEN_BEDROCK";
  }

 private:
  void sign(HttpRequest& request) const {
    std::string timestamp = aws_timestamp(clock_.unix_ms());
    std::string host = base_url_.substr(base_url_.find("//") + 2);
    SignableRequest signable{"POST", path_, "", {{"host", host}, {"x-amz-date", timestamp}}, request.body};
    signable.headers["content-type"] = "application/json";
    if (!keys_.credentials.session_token.empty())
      signable.headers["x-amz-security-token"] = keys_.credentials.session_token;
    std::string header = authorization(signable, keys_.credentials, {region_, "bedrock", timestamp});
    request.headers.clear();
    for (const auto& [name, value] : signable.headers) request.headers.push_back(name + ": " + value);
    request.headers.push_back("authorization: " + header);
  }

  std::string path_;
  std::string region_;
  std::string base_url_;
  BedrockKeys keys_;
  Clock& clock_;
};

Result<BedrockKeys> read_keys(const ModelSpec& spec, const Environment& environment) {
  BedrockKeys keys;
  keys.bearer = variable_or(environment, "AWS_BEARER_TOKEN_BEDROCK", "");
  if (!keys.bearer.empty()) return keys;
  CUCO_TRY(std::string id, required_variable(environment, "AWS_ACCESS_KEY_ID", spec));
  CUCO_TRY(std::string secret, required_variable(environment, "AWS_SECRET_ACCESS_KEY", spec));
  keys.credentials = {id, secret, variable_or(environment, "AWS_SESSION_TOKEN", "")};
  return keys;
}

}  // namespace

FormatResult make_converse_format(const ModelSpec& spec, const Environment& environment, Clock& clock) {
  CUCO_TRY(BedrockKeys keys, read_keys(spec, environment));
  std::string region = spec.where;
  if (region.empty()) region = variable_or(environment, "AWS_REGION", "");
  if (region.empty()) return Error{concat(to_text(spec), " names no region; write @REGION after it or set AWS_REGION")};
  std::string base_url = variable_or(environment, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
                                     concat("https://bedrock-runtime.", region, ".amazonaws.com"));
  return std::unique_ptr<WireFormat>(std::make_unique<ConverseFormat>(spec, region, base_url, keys, clock));
}

}  // namespace cuco::llm
