// The whole loop, from a model's spec to an accepted program, through every way of reaching a model: a reply that is no
// code, one that is rejected and judged, and one that is accepted.
#include <filesystem>
#include <fstream>

#include "agent/rewriter.h"
#include "base/files.h"
#include "model_fixture.h"
#include "provider_scripts.h"

namespace cuco::testing {
namespace {

using agent::AttemptOutcome;

const agent::RewriteRequest kRequest = {
    {{"program.cu", "int main() {\n  ncclAllGather(a, b);\n}\n"}}, "one site, s1", "gin, deferred", "put and signal"};

const std::string kNoCode = "Sure, I can help with that!";
const std::string kStageA =
    "<<<<<<< SEARCH\n  ncclAllGather(a, b);\n=======\n  register_windows();\n  ncclAllGather(a, b);\n"
    ">>>>>>> REPLACE\n";
const std::string kJudged = "Line 3 still calls the host collective.";
const std::string kStageB =
    "<<<<<<< SEARCH\n  ncclAllGather(a, b);\n=======\n  all_gather<<<1, 256>>>(a, b);\n>>>>>>> REPLACE\n";
const std::string kAccepted = "int main() {\n  register_windows();\n  all_gather<<<1, 256>>>(a, b);\n}\n";

agent::Evaluation no_host_collectives(const agent::ProgramText& program) {
  if (program[0].text.find("ncclAllGather") == std::string::npos) return {true, {}};
  return {false, {{"host_collective", -1, "program.cu:3: a host collective is left"}}};
}

class AgentLoopTest : public ModelFixture {
 protected:
  agent::RewriteResult run(const std::string& spec) {
    Result<std::unique_ptr<llm::Model>> model = llm::open_model(spec, options, {environment, clock, budget, prices});
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    Result<agent::Judge> judge = agent::Judge::load(CUCO_SOURCE_DIR, **model, {});
    EXPECT_TRUE(judge.ok()) << (judge.ok() ? "" : judge.error().message);
    Result<agent::Rewriter> rewriter = agent::Rewriter::load(CUCO_SOURCE_DIR, **model, &*judge, {});
    EXPECT_TRUE(rewriter.ok()) << (rewriter.ok() ? "" : rewriter.error().message);
    return rewriter->run(kRequest, no_host_collectives, progress);
  }

  void expect_the_loop(const agent::RewriteResult& result) {
    ASSERT_FALSE(result.stopped) << result.stopped->message;
    ASSERT_EQ(result.attempts.size(), 3u);
    EXPECT_EQ(result.attempts[0].outcome, AttemptOutcome::Malformed);
    EXPECT_EQ(result.attempts[1].outcome, AttemptOutcome::Rejected);
    EXPECT_NE(result.attempts[1].diagnosis.find(kJudged), std::string::npos);
    ASSERT_TRUE(result.accepted.has_value());
    EXPECT_EQ((*result.accepted)[0].text, kAccepted);
  }

  template <typename MakeResponse>
  void expect_the_loop_over_http(const std::string& spec, MakeResponse make_response) {
    server.script({make_response(kNoCode), make_response(kStageA), make_response(kJudged), make_response(kStageB)});
    expect_the_loop(run(spec));
    EXPECT_EQ(server.seen().size(), 4u);
    EXPECT_NE(server.seen()[3].body.find(kJudged), std::string::npos);
  }
};

ScriptedResponse anthropic_stream(const std::string& text) { return event_stream(anthropic_reply({text})); }
ScriptedResponse chat_stream(const std::string& text) { return event_stream(chat_reply({text})); }
ScriptedResponse converse_whole(const std::string& text) { return document(200, converse_document(text)); }

TEST_F(AgentLoopTest, RunsThroughAnthropic) { expect_the_loop_over_http("anthropic:m", anthropic_stream); }
TEST_F(AgentLoopTest, RunsThroughOpenAi) { expect_the_loop_over_http("openai:m", chat_stream); }
TEST_F(AgentLoopTest, RunsThroughACompatibleServer) { expect_the_loop_over_http(compatible(), chat_stream); }
TEST_F(AgentLoopTest, RunsThroughAzure) { expect_the_loop_over_http("azure:m@" + server.url(), chat_stream); }
TEST_F(AgentLoopTest, RunsThroughBedrock) { expect_the_loop_over_http("bedrock:m@r", converse_whole); }

// Answers the n-th call with the n-th file, counting in a file of its own.
TEST_F(AgentLoopTest, RunsThroughACommand) {
  std::string folder = scratch.path().string();
  int number = 0;
  for (const std::string& text : {kNoCode, kStageA, kJudged, kStageB})
    ASSERT_TRUE(write_file(concat(folder, "/", ++number), text).ok());
  ASSERT_TRUE(write_file(folder + "/answer.sh",
                         "cat >/dev/null\ncd \"$1\"\nn=$(( $(cat count 2>/dev/null || echo 0) + 1 ))\n"
                         "echo $n >count\ncat $n\n")
                  .ok());
  expect_the_loop(run(concat("command:sh ", folder, "/answer.sh ", folder)));
}

// Another agent, who looks into the folder whenever time passes.
class AnsweringClock : public FakeClock {
 public:
  explicit AnsweringClock(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void sleep_ms(int64_t duration_ms) override {
    FakeClock::sleep_ms(duration_ms);
    const std::vector<std::string> texts = {kNoCode, kStageA, kJudged, kStageB};
    for (size_t i = 0; i < texts.size(); ++i) {
      std::string name = concat("000", i + 1);
      if (std::filesystem::exists(folder_ / (name + ".prompt.txt")))
        std::ofstream(folder_ / (name + ".reply.txt")) << texts[i];
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(AgentLoopTest, RunsThroughAMailbox) {
  AnsweringClock answering(scratch.path() / "box");
  Result<std::unique_ptr<llm::Model>> model = llm::open_model("mailbox:" + (scratch.path() / "box").string(), options,
                                                              {environment, answering, budget, prices});
  ASSERT_TRUE(model.ok());
  Result<agent::Judge> judge = agent::Judge::load(CUCO_SOURCE_DIR, **model, {});
  Result<agent::Rewriter> rewriter = agent::Rewriter::load(CUCO_SOURCE_DIR, **model, &*judge, {});
  ASSERT_TRUE(rewriter.ok());
  expect_the_loop(rewriter->run(kRequest, no_host_collectives, progress));
}

TEST_F(AgentLoopTest, ReplaysFromItsTranscript) {
  options.record = scratch.path() / "transcripts" / "run.jsonl";
  expect_the_loop_over_http("anthropic:m", anthropic_stream);
  options.replay = options.record;
  environment.variables.clear();
  expect_the_loop(run("anthropic:m"));
  EXPECT_EQ(server.seen().size(), 4u);
}

TEST_F(AgentLoopTest, AServerThatDiesKeepsWhatWasReached) {
  server.script({anthropic_stream(kStageA), anthropic_stream(kJudged), document(401, "{}")});
  agent::RewriteResult result = run("anthropic:m");
  ASSERT_TRUE(result.stopped.has_value());
  EXPECT_NE(result.stopped->message.find("HTTP 401"), std::string::npos);
  ASSERT_EQ(result.attempts.size(), 1u);
  EXPECT_TRUE(result.attempts[0].program.has_value());
}

}  // namespace
}  // namespace cuco::testing
