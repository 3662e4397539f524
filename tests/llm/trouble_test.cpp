// Everything that goes wrong between cuco and a provider, and what the caller is told.
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "model_fixture.h"
#include "provider_scripts.h"

namespace cuco::testing {
namespace {

using llm::RealClock;
using llm::Reply;
using Json = nlohmann::json;

const std::string kOverloaded = R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})";

class TroubleTest : public ModelFixture {};

TEST_F(TroubleTest, RateLimitsAreWaitedOutAsLongAsTheyAsk) {
  server.script({document(429, R"({"error":{"type":"rate_limit_error","message":"slow down"}})", "retry-after: 3\r\n"),
                 document(429, R"({"error":{"message":"slow down"}})", "Retry-After-Ms: 4500\r\n"),
                 event_stream(anthropic_reply({"yes"}))});
  Result<Reply> reply = complete("anthropic:m");
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->text, "yes");
  EXPECT_EQ(progress.waits_ms, (std::vector<int64_t>{3000, 4500}));
  EXPECT_EQ(progress.retries[0], "HTTP 429: rate_limit_error: slow down");
}

TEST_F(TroubleTest, ServerErrorsAndOverloadAreRetriedForEveryProvider) {
  std::vector<std::pair<std::string, ScriptedResponse>> providers = {
      {"anthropic:m", event_stream(anthropic_reply({"yes"}))},
      {"openai:m", event_stream(chat_reply({"yes"}))},
      {compatible(), event_stream(chat_reply({"yes"}))},
      {"azure:m@" + server.url(), event_stream(chat_reply({"yes"}))},
      {"bedrock:m@r", document(200, converse_document("yes"))}};
  for (const auto& [spec, good] : providers) {
    server.script({document(529, kOverloaded), document(500, "<html>oops</html>"), document(503, ""), good});
    Result<Reply> reply = complete(spec);
    ASSERT_TRUE(reply.ok()) << spec << ": " << reply.error().message;
    EXPECT_EQ(reply->text, "yes");
  }
  EXPECT_EQ(progress.retries.size(), 3 * providers.size());
}

TEST_F(TroubleTest, OverloadInTheMiddleOfAStreamIsRetriedAndCharged) {
  std::vector<std::string> broken = anthropic_begin({"half a"});
  broken.push_back(named_event("error", kOverloaded));
  server.script({event_stream(broken), event_stream(anthropic_reply({"whole"}))});
  Result<Reply> reply = complete("anthropic:m");
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->text, "whole");
  EXPECT_EQ(progress.retries, std::vector<std::string>{"overloaded_error: Overloaded"});
  EXPECT_EQ(budget.spent().calls, 2u);
}

TEST_F(TroubleTest, ErrorsInAChatStreamAreSeen) {
  server.script({event_stream({data_event(R"({"error":{"type":"invalid_request_error","message":"too long"}})")})});
  EXPECT_EQ(error_of("openai:m"), "openai:m: invalid_request_error: too long");
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(TroubleTest, ACutConnectionIsRetried) {
  server.script({cut_stream(anthropic_begin({"half"})), cut_stream(anthropic_begin({"hal"})),
                 event_stream(anthropic_reply({"whole"}))});
  Result<Reply> reply = complete("anthropic:m");
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->text, "whole");
  ASSERT_EQ(progress.retries.size(), 2u);
  EXPECT_TRUE(progress.retries[0].starts_with("the connection broke off: ")) << progress.retries[0];
}

TEST_F(TroubleTest, AStreamThatEndsWithoutSayingSoIsNoReply) {
  options.retry.attempts_max = 2;
  server.script({event_stream(anthropic_begin({"half"}))});
  EXPECT_EQ(error_of("anthropic:m"), "anthropic:m: the reply ended in the middle (attempt 2)");
  server.script({event_stream(chat_begin({"half"}))});
  EXPECT_EQ(error_of("openai:m"), "openai:m: the reply ended in the middle (attempt 2)");
}

TEST_F(TroubleTest, AServerThatHangsUpBeforeAnyByteIsRetried) {
  server.script({ScriptedResponse{}, event_stream(chat_reply({"yes"}))});
  EXPECT_TRUE(complete("openai:m").ok());
  EXPECT_EQ(progress.retries.size(), 1u);
}

TEST_F(TroubleTest, WrongJsonIsShown) {
  options.retry.attempts_max = 1;
  server.script({event_stream({data_event("{\"choices\": [")})});
  EXPECT_EQ(error_of("openai:m"), "openai:m: a piece of the reply is not JSON: {\"choices\": [");
  server.script({document(200, "<html>Welcome to the proxy</html>")});
  EXPECT_EQ(error_of("openai:m"), "openai:m: no reply in: <html>Welcome to the proxy</html>");
  EXPECT_EQ(error_of("anthropic:m"), "anthropic:m: no reply in: <html>Welcome to the proxy</html>");
  EXPECT_EQ(error_of("bedrock:m@r"), "bedrock:m@r: no reply in: <html>Welcome to the proxy</html>");
}

TEST_F(TroubleTest, JsonOfTheWrongShapeIsNoCrash) {
  options.retry.attempts_max = 1;
  for (const char* odd : {"[]", "null", "3", R"({"choices":3})", R"({"choices":[]})", R"({"choices":[{"message":[]}]})",
                          R"({"type":"message_start"})", R"({"type":"message_delta","usage":[]})", R"({"type":7})",
                          R"({"output":{"message":{"content":{}}}})", R"({"content":[3]})"}) {
    for (const std::string& spec : {std::string("anthropic:m"), std::string("openai:m"), std::string("bedrock:m@r")}) {
      server.script({document(200, odd)});
      (void)complete(spec);
      server.script({event_stream({data_event(odd)})});
      (void)complete(spec);
      server.script({document(400, odd)});
      EXPECT_TRUE(error_of(spec).starts_with(spec + ": HTTP 400: ")) << odd;
    }
  }
}

TEST_F(TroubleTest, SlowBytesEndAtTheIdleTimeout) {
  options.timeouts.idle_ms = 150;
  options.retry.attempts_max = 1;
  server.script({event_stream(anthropic_reply({"a", "b", "c"}), 2'000)});
  std::string message = error_of("anthropic:m");
  EXPECT_TRUE(message.starts_with("anthropic:m: the reply stood still for ")) << message;
}

TEST_F(TroubleTest, SlowButSteadyBytesAreWaitedFor) {
  options.timeouts.idle_ms = 3'000;
  server.script({event_stream(anthropic_reply({"a", "b", "c"}), 40)});
  Result<Reply> reply = complete("anthropic:m");
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->text, "abc");
}

TEST_F(TroubleTest, ADeadEndpointIsNamedAfterAllAttempts) {
  std::string spec = "openai-compatible:m@http://127.0.0.1:1/v1";
  std::string message = error_of(spec);
  EXPECT_TRUE(message.starts_with(spec + ": no connection: ")) << message;
  EXPECT_TRUE(message.ends_with(" (attempt 6)")) << message;
}

TEST_F(TroubleTest, AWrongKeyIsReportedOnceWithItsVariable) {
  server.script(
      {document(401, concat(R"({"error":{"type":"authentication_error","message":"bad key )", kKey, "\"}}"))});
  EXPECT_EQ(error_of("anthropic:m"),
            "anthropic:m: HTTP 401: authentication_error: bad key ***; check the environment variable "
            "ANTHROPIC_API_KEY");
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(TroubleTest, AMissingKeyNamesTheVariable) {
  environment.variables.clear();
  EXPECT_EQ(error_of("anthropic:m"), "anthropic:m needs the environment variable ANTHROPIC_API_KEY, which is not set");
  EXPECT_EQ(error_of("openai:m"), "openai:m needs the environment variable OPENAI_API_KEY, which is not set");
  EXPECT_EQ(error_of("azure:m"), "azure:m needs the environment variable AZURE_OPENAI_API_KEY, which is not set");
  EXPECT_EQ(error_of("bedrock:m@r"), "bedrock:m@r needs the environment variable AWS_ACCESS_KEY_ID, which is not set");
  EXPECT_EQ(error_of(compatible() + "#SOME_KEY"),
            compatible() + "#SOME_KEY needs the environment variable SOME_KEY, which is not set");
}

TEST_F(TroubleTest, MoneyThatRanOutIsNotWaitedFor) {
  server.script({document(429, R"({"error":{"type":"insufficient_quota","message":"You exceeded your quota"}})")});
  EXPECT_EQ(error_of("openai:m"), "openai:m: HTTP 429: insufficient_quota: You exceeded your quota");
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(TroubleTest, ARefusedTemperatureIsLeftOutFromThenOn) {
  server.script({document(400, R"({"error":{"message":"`temperature` is not supported with this model"}})"),
                 event_stream(anthropic_reply({"yes"}))});
  Result<Reply> reply = complete("anthropic:m");
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  std::vector<SeenRequest> seen = server.seen();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(Json::parse(seen[0].body).contains("temperature"));
  EXPECT_FALSE(Json::parse(seen[1].body).contains("temperature"));
  EXPECT_TRUE(progress.retries.empty());
}

TEST_F(TroubleTest, AServerThatKnowsOnlyTheOtherNameOfTheLimitIsServed) {
  server.script({document(400, R"({"error":{"message":"'max_tokens' is not supported, use 'max_completion_tokens'"}})"),
                 event_stream(chat_reply({"yes"}))});
  Result<Reply> reply = complete(compatible());
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  Json second = Json::parse(server.seen()[1].body);
  EXPECT_EQ(second["max_completion_tokens"], 500);
  EXPECT_FALSE(second.contains("max_tokens"));
}

TEST_F(TroubleTest, ARefusalThatConcessionsDoNotCureIsReported) {
  server.script(
      {document(400, R"({"error":{"message":"temperature, stream_options, max_completion_tokens: all bad"}})")});
  EXPECT_EQ(error_of("openai:m"), "openai:m: HTTP 400: temperature, stream_options, max_completion_tokens: all bad");
  EXPECT_EQ(server.seen().size(), 4u);
}

TEST_F(TroubleTest, AKeyWithALineBreakIsRefused) {
  environment.variables["OPENAI_API_KEY"] = "key\r\nx-evil: 1";
  EXPECT_EQ(error_of("openai:m"), "the environment variable OPENAI_API_KEY holds a line break or control character");
}

TEST_F(TroubleTest, CancellationBreaksAStreamOff) {
  progress.cancel_at_text = true;
  ScriptedResponse slow = event_stream({}, 3'000);
  slow.pieces[0] += join(anthropic_begin({"a"}), "");
  slow.pieces.push_back("data: late\n\n");
  server.script({slow});
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of("anthropic:m"), "anthropic:m: the call was cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2'900));
  EXPECT_EQ(budget.spent().calls, 1u);
}

TEST_F(TroubleTest, RedirectsAreNotFollowed) {
  server.script({document(307, "{}", concat("location: ", server.url(), "/elsewhere\r\n"))});
  EXPECT_TRUE(error_of("openai:m").starts_with("openai:m: HTTP 307: "));
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(TroubleTest, NoKeyReachesATranscript) {
  options.record = scratch.path() / "run.jsonl";
  options.retry.attempts_max = 1;
  server.script({document(500, concat(R"({"error":{"message":"echo )", kKey, "\"}}"))});
  EXPECT_EQ(error_of("openai:m"), "openai:m: HTTP 500: echo ***");
  server.script({event_stream(chat_reply({"fine"}))});
  ASSERT_TRUE(complete("openai:m").ok());
  std::string transcript = *read_file(*options.record);
  EXPECT_EQ(split(transcript, '\n').size(), 3u);
  EXPECT_EQ(transcript.find(kKey), std::string::npos);
}

TEST_F(TroubleTest, ATranscriptReplaysWithoutServerAndKey) {
  options.record = scratch.path() / "run.jsonl";
  server.script({event_stream(chat_reply({"fine"}))});
  Result<Reply> recorded = complete("openai:m");
  ASSERT_TRUE(recorded.ok());
  environment.variables.clear();
  options.record = std::nullopt;
  options.replay = scratch.path() / "run.jsonl";
  EXPECT_EQ(*complete("openai:m"), *recorded);
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(TroubleTest, ACappedBudgetStopsBeforeTheRequest) {
  ASSERT_TRUE(prices
                  .add("p.toml",
                       "[[model]]\nprovider = \"openai\"\nname = \"m\"\ninput_usd_per_mtok = 1\n"
                       "output_usd_per_mtok = 1000\n")
                  .ok());
  llm::Budget tight({.usd = 0.4});
  Result<std::unique_ptr<llm::Model>> model = llm::open_model("openai:m", options, {environment, clock, tight, prices});
  ASSERT_TRUE(model.ok());
  EXPECT_FALSE((*model)->complete(prompt, progress).ok());
  EXPECT_TRUE(server.seen().empty());
}

TEST_F(TroubleTest, ThreadsThatShareAModelKeepToTheCap) {
  server.script({event_stream(chat_reply({"yes"}))});
  options.record = scratch.path() / "run.jsonl";
  llm::Budget five({.calls = 5});
  RealClock real;
  Result<std::unique_ptr<llm::Model>> model = llm::open_model("openai:m", options, {environment, real, five, prices});
  ASSERT_TRUE(model.ok());
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      llm::Progress silent;
      answered += (*model)->complete(prompt, silent).ok();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 5);
  EXPECT_EQ(server.seen().size(), 5u);
  EXPECT_EQ(split(*read_file(*options.record), '\n').size(), 9u);
}

}  // namespace
}  // namespace cuco::testing
