// What goes over the wire to each provider, and what is made of its replies.
#include <nlohmann/json.hpp>

#include "model_fixture.h"
#include "provider_scripts.h"

namespace cuco::testing {
namespace {

using llm::Reply;
using llm::Role;
using llm::StopReason;
using Json = nlohmann::json;

class WireFormatTest : public ModelFixture {
 protected:
  // The one request that `spec` makes, after it has got its reply.
  SeenRequest request_of(const std::string& spec, const ScriptedResponse& response) {
    server.script({response});
    reply = complete(spec);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().message);
    std::vector<SeenRequest> seen = server.seen();
    EXPECT_EQ(seen.size(), 1u);
    return seen.empty() ? SeenRequest{} : seen.back();
  }

  Result<Reply> reply = Error{"nothing asked"};
};

TEST_F(WireFormatTest, AnthropicStreamsMessages) {
  prompt.messages = {{Role::User, "one"}, {Role::Assistant, "two"}, {Role::User, "three"}};
  SeenRequest request = request_of("anthropic:claude-x", event_stream(anthropic_reply({"Hel", "lo \"you\"\n"})));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/messages");
  EXPECT_EQ(request.headers["x-api-key"], kKey);
  EXPECT_EQ(request.headers["anthropic-version"], "2023-06-01");
  EXPECT_EQ(request.headers["content-type"], "application/json");
  EXPECT_EQ(Json::parse(request.body), Json::parse(R"({"model":"claude-x","max_tokens":500,"stream":true,
      "system":"be brief","temperature":0.5,"messages":[{"role":"user","content":"one"},
      {"role":"assistant","content":"two"},{"role":"user","content":"three"}]})"));
  EXPECT_EQ(*reply, (Reply{"Hello \"you\"\n", {25, 17, false}, std::nullopt, StopReason::Finished}));
  EXPECT_EQ(progress.text, reply->text);
  EXPECT_EQ(progress.token_counts.size(), 2u);
}

TEST_F(WireFormatTest, OpenAiStreamsChatCompletions) {
  SeenRequest request = request_of("openai:gpt-x", event_stream(chat_reply({"Hel", "lo"})));
  EXPECT_EQ(request.path, "/v1/chat/completions");
  EXPECT_EQ(request.headers["authorization"], std::string("Bearer ") + kKey);
  EXPECT_EQ(Json::parse(request.body), Json::parse(R"({"model":"gpt-x","max_completion_tokens":500,"stream":true,
      "stream_options":{"include_usage":true},"temperature":0.5,
      "messages":[{"role":"system","content":"be brief"},{"role":"user","content":"say \"hello\""}]})"));
  EXPECT_EQ(*reply, (Reply{"Hello", {25, 17, false}, std::nullopt, StopReason::Finished}));
}

TEST_F(WireFormatTest, CompatibleServersGetTheOldNameOfTheLimitAndNoKey) {
  prompt.temperature = std::nullopt;
  SeenRequest request = request_of(compatible(), event_stream(chat_reply({"Hello"})));
  EXPECT_EQ(request.path, "/v1/chat/completions");
  EXPECT_FALSE(request.headers.contains("authorization"));
  Json body = Json::parse(request.body);
  EXPECT_EQ(body["max_tokens"], 500);
  EXPECT_FALSE(body.contains("max_completion_tokens"));
  EXPECT_FALSE(body.contains("temperature"));
}

TEST_F(WireFormatTest, CompatibleServersGetTheKeyOfTheNamedVariable) {
  environment.variables["MY_SERVER_KEY"] = "other";
  SeenRequest request = request_of(compatible() + "#MY_SERVER_KEY", event_stream(chat_reply({"Hello"})));
  EXPECT_EQ(request.headers["authorization"], "Bearer other");
}

TEST_F(WireFormatTest, AServerThatDoesNotStreamIsUnderstood) {
  request_of(compatible(), document(200, chat_document("all at once")));
  EXPECT_EQ(*reply, (Reply{"all at once", {25, 17, false}, std::nullopt, StopReason::Finished}));
  EXPECT_EQ(progress.text, "all at once");
}

TEST_F(WireFormatTest, AServerThatStatesNoCountsIsChargedAnEstimate) {
  std::vector<std::string> events = chat_begin({"Hello"});
  events.push_back(data_event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"));
  request_of(compatible(), event_stream(events));
  EXPECT_TRUE(reply->usage.estimated);
  EXPECT_GT(reply->usage.input_tokens, 0u);
  EXPECT_GT(reply->usage.output_tokens, 0u);
}

TEST_F(WireFormatTest, AzureNamesTheDeploymentInTheBody) {
  SeenRequest request = request_of("azure:depl@" + server.url() + "/", event_stream(chat_reply({"Hello"})));
  EXPECT_EQ(request.path, "/openai/v1/chat/completions");
  EXPECT_EQ(request.headers["api-key"], kKey);
  EXPECT_EQ(Json::parse(request.body)["model"], "depl");
}

TEST_F(WireFormatTest, AzureWithADatedVersionNamesTheDeploymentInThePath) {
  environment.variables["AZURE_OPENAI_API_VERSION"] = "2024-10-21";
  environment.variables["AZURE_OPENAI_ENDPOINT"] = server.url() + "/";
  SeenRequest request = request_of("azure:my depl", event_stream(chat_reply({"Hello"})));
  EXPECT_EQ(request.path, "/openai/deployments/my%20depl/chat/completions?api-version=2024-10-21");
}

TEST_F(WireFormatTest, BedrockIsSigned) {
  environment.variables["AWS_SESSION_TOKEN"] = "a-session";
  SeenRequest request = request_of("bedrock:vendor.model-v1:0@eu-west-1", document(200, converse_document("Hello")));
  EXPECT_EQ(request.path, "/model/vendor.model-v1%3A0/converse");
  EXPECT_EQ(request.headers["x-amz-date"], "20150830T123600Z");
  EXPECT_EQ(request.headers["x-amz-security-token"], "a-session");
  EXPECT_EQ(request.headers["host"], server.url().substr(7));
  EXPECT_TRUE(request.headers["authorization"].starts_with(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/bedrock/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature="))
      << request.headers["authorization"];
  EXPECT_EQ(Json::parse(request.body), Json::parse(R"({"system":[{"text":"be brief"}],
      "inferenceConfig":{"maxTokens":500,"temperature":0.5},
      "messages":[{"role":"user","content":[{"text":"say \"hello\""}]}]})"));
  EXPECT_EQ(*reply, (Reply{"Hello", {25, 17, false}, std::nullopt, StopReason::Finished}));
}

TEST_F(WireFormatTest, BedrockTakesABearerTokenInstead) {
  environment.variables["AWS_BEARER_TOKEN_BEDROCK"] = "token";
  SeenRequest request = request_of("bedrock:m@eu-west-1", document(200, converse_document("Hello")));
  EXPECT_EQ(request.headers["authorization"], "Bearer token");
}

TEST_F(WireFormatTest, StopReasonsMeanTheSameEverywhere) {
  auto stop_of = [&](const std::string& spec, const ScriptedResponse& response) {
    server.script({response});
    return complete(spec)->stop_reason;
  };
  EXPECT_EQ(stop_of("anthropic:m", event_stream(anthropic_reply({"x"}, "max_tokens"))), StopReason::MaxTokens);
  EXPECT_EQ(stop_of("anthropic:m", event_stream(anthropic_reply({"x"}, "refusal"))), StopReason::Refused);
  EXPECT_EQ(stop_of("openai:m", event_stream(chat_reply({"x"}, "length"))), StopReason::MaxTokens);
  EXPECT_EQ(stop_of("openai:m", event_stream(chat_reply({"x"}, "content_filter"))), StopReason::Refused);
  EXPECT_EQ(stop_of("bedrock:m@r", document(200, converse_document("x", "max_tokens"))), StopReason::MaxTokens);
  EXPECT_EQ(stop_of("bedrock:m@r", document(200, converse_document("x", "guardrail_intervened"))), StopReason::Refused);
}

TEST_F(WireFormatTest, AStreamMayBeCutAnywhere) {
  std::string whole = join(anthropic_reply({"Hello ", "w\xc3\xb6rld"}), "");
  std::vector<std::string> bytes;
  for (size_t at = 0; at < whole.size(); at += 3) bytes.push_back(whole.substr(at, 3));
  request_of("anthropic:m", event_stream(bytes));
  EXPECT_EQ(reply->text, "Hello w\xc3\xb6rld");
}

}  // namespace
}  // namespace cuco::testing
