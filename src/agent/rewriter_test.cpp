#include "agent/rewriter.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::agent {
namespace {

const RewriteRequest kRequest = {
    {{"a.cu", "host();\nrest();\n"}}, "analysis text", "directive text", "api text", "obstacle text"};

// Gives its replies in turn and remembers what it was asked.
class ScriptedModel : public llm::Model {
 public:
  std::vector<Result<llm::Reply>> replies;
  std::vector<llm::Prompt> prompts;

  explicit ScriptedModel(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) replies.push_back(llm::Reply{text, {10, 5, false}, 0.5});
  }
  Result<llm::Reply> complete(const llm::Prompt& prompt, llm::Progress&) override {
    prompts.push_back(prompt);
    if (prompts.size() > replies.size()) return Error{"no more replies"};
    return replies[prompts.size() - 1];
  }
  const std::string& asked(size_t call) const { return prompts.at(call).messages[0].text; }
};

std::string whole(const std::string& text) { return "```\n" + text + "```\n"; }

Evaluation accept_device(const ProgramText& program) {
  bool good = program[0].text.find("device();") != std::string::npos;
  if (good) return {true, {}};
  return {false, {{"host_call", 0, "a.cu:1: still on the host"}}};
}

RewriteResult run(llm::Model& model, const Judge* judge = nullptr, RewriteLimits limits = {}) {
  Result<Rewriter> rewriter = Rewriter::load(CUCO_SOURCE_DIR, model, judge, limits);
  EXPECT_TRUE(rewriter.ok()) << (rewriter.ok() ? "" : rewriter.error().message);
  llm::Progress silent;
  return rewriter->run(kRequest, accept_device, silent);
}

TEST(Rewriter, AGoodReplyEndsTheLoop) {
  ScriptedModel model({whole("device();\n")});
  RewriteResult result = run(model);
  ASSERT_TRUE(result.accepted.has_value());
  EXPECT_EQ((*result.accepted)[0].text, "device();\n");
  EXPECT_EQ(model.prompts.size(), 1u);
  for (const char* part : {"analysis text", "directive text", "api text", "obstacle text", "host();\nrest();\n",
                           "No attempt has been evaluated"})
    EXPECT_NE(model.asked(0).find(part), std::string::npos) << part;
}

TEST(Rewriter, AMalformedReplyCostsAnAttemptAndIsExplained) {
  ScriptedModel model({"I would rather not.", whole("device();\n")});
  RewriteResult result = run(model);
  ASSERT_TRUE(result.accepted.has_value());
  ASSERT_EQ(result.attempts.size(), 2u);
  EXPECT_EQ(result.attempts[0].outcome, AttemptOutcome::Malformed);
  EXPECT_NE(model.asked(1).find("neither a code block nor a SEARCH/REPLACE edit"), std::string::npos);
  EXPECT_NE(model.asked(1).find("host();\nrest();\n"), std::string::npos);
}

TEST(Rewriter, ARejectedProgramIsTheBaseOfTheNextAttempt) {
  ScriptedModel model({whole("stage_a();\n"), "<<<<<<< SEARCH\nstage_a();\n=======\ndevice();\n>>>>>>> REPLACE\n"});
  RewriteResult result = run(model);
  ASSERT_TRUE(result.accepted.has_value());
  EXPECT_EQ(result.attempts[0].outcome, AttemptOutcome::Rejected);
  EXPECT_NE(model.asked(1).find("a.cu:1: still on the host"), std::string::npos);
  EXPECT_NE(model.asked(1).find(">    1| stage_a();"), std::string::npos);
}

TEST(Rewriter, EarlierAttemptsAreToldInALineEach) {
  ScriptedModel model({whole("stage_a();\n"), "no code", whole("device();\n")});
  ASSERT_TRUE(run(model).accepted.has_value());
  EXPECT_EQ(model.asked(1).find("Earlier attempts"), std::string::npos);
  EXPECT_NE(model.asked(2).find("Earlier attempts:\n- attempt 1, rejected: host_call, a.cu:1: still on the host\n"),
            std::string::npos)
      << model.asked(2);
}

TEST(Rewriter, TheJudgeTurnsAReportIntoADiagnosis) {
  ScriptedModel model({whole("stage_a();\n"), whole("device();\n")});
  ScriptedModel judging({"The call in line 1 was left."});
  Result<Judge> judge = Judge::load(CUCO_SOURCE_DIR, judging, {});
  ASSERT_TRUE(judge.ok()) << judge.error().message;
  RewriteResult result = run(model, &*judge);
  ASSERT_TRUE(result.accepted.has_value());
  for (const char* part : {"stage_a();", "a.cu:1: still on the host", "directive text"})
    EXPECT_NE(judging.asked(0).find(part), std::string::npos) << part;
  EXPECT_NE(model.asked(1).find("The call in line 1 was left."), std::string::npos);
  EXPECT_NE(model.asked(1).find("a.cu:1: still on the host"), std::string::npos);
}

TEST(Rewriter, AMalformedReplyDoesNotBuryTheReportBeforeIt) {
  ScriptedModel model({whole("stage_a();\n"), "no code", whole("device();\n")});
  RewriteResult result = run(model);
  ASSERT_TRUE(result.accepted.has_value());
  EXPECT_NE(model.asked(2).find("neither a code block"), std::string::npos);
  EXPECT_NE(model.asked(2).find("a.cu:1: still on the host"), std::string::npos);
}

TEST(Rewriter, NobodyIsJudgedAfterTheLastAttempt) {
  ScriptedModel model({whole("stage_a();\n"), whole("stage_b();\n")});
  ScriptedModel judging({"The call in line 1 was left."});
  Result<Judge> judge = Judge::load(CUCO_SOURCE_DIR, judging, {});
  ASSERT_TRUE(judge.ok());
  RewriteResult result = run(model, &*judge, {.attempts_max = 2});
  EXPECT_FALSE(result.accepted.has_value());
  EXPECT_EQ(judging.prompts.size(), 1u);
  EXPECT_TRUE(result.attempts[1].diagnosis.starts_with("What is wrong with it:\n- host_call"))
      << result.attempts[1].diagnosis;
}

TEST(Rewriter, TheLoopIsBounded) {
  ScriptedModel model(std::vector<std::string>(9, "no code"));
  RewriteResult result = run(model, nullptr, {.attempts_max = 3});
  EXPECT_FALSE(result.accepted.has_value());
  EXPECT_FALSE(result.stopped.has_value());
  EXPECT_EQ(result.attempts.size(), 3u);
  EXPECT_EQ(model.prompts.size(), 3u);
}

TEST(Rewriter, WhatWasReachedIsKeptWhenTheModelStops) {
  ScriptedModel model({whole("stage_a();\n")});
  RewriteResult result = run(model);
  ASSERT_TRUE(result.stopped.has_value());
  EXPECT_EQ(result.stopped->message, "no more replies");
  ASSERT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ((*result.attempts[0].program)[0].text, "stage_a();\n");
}

TEST(Rewriter, AnEvaluationThatCannotBeMadeEndsTheLoop) {
  ScriptedModel model({whole("device();\n")});
  Result<Rewriter> rewriter = Rewriter::load(CUCO_SOURCE_DIR, model, nullptr, {});
  ASSERT_TRUE(rewriter.ok());
  llm::Progress silent;
  RewriteResult result = rewriter->run(
      kRequest, [](const ProgramText&) -> Result<Evaluation> { return Error{"no sandbox here"}; }, silent);
  ASSERT_TRUE(result.stopped.has_value());
  EXPECT_EQ(result.stopped->message, "no sandbox here");
  ASSERT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ(result.attempts[0].outcome, AttemptOutcome::Unevaluated);
  EXPECT_FALSE(result.accepted.has_value());
}

TEST(Rewriter, AReplyThatWasCutOffIsNotUsed) {
  ScriptedModel model({whole("device();\n"), whole("device();\n")});
  model.replies[0]->stop_reason = llm::StopReason::MaxTokens;
  RewriteResult result = run(model);
  EXPECT_EQ(result.attempts[0].outcome, AttemptOutcome::Malformed);
  EXPECT_NE(model.asked(1).find("cut off at its limit of 32000 tokens"), std::string::npos);
  EXPECT_TRUE(result.accepted.has_value());
}

TEST(Rewriter, ALongAnalysisGivesWayAndTheProgramDoesNot) {
  ScriptedModel model({whole("device();\n")});
  Result<Rewriter> rewriter = Rewriter::load(CUCO_SOURCE_DIR, model, nullptr, {.prompt_tokens_max = 2'000});
  ASSERT_TRUE(rewriter.ok());
  RewriteRequest request = kRequest;
  for (int i = 0; i < 5'000; ++i) request.analysis += "a line of the analysis\n";
  llm::Progress silent;
  std::string sizes;
  RewriteResult result = rewriter->run(request, accept_device, silent, [&](const std::string& role, const auto& s) {
    sizes = role + ": " + size_report(s);
  });
  ASSERT_TRUE(result.accepted.has_value());
  EXPECT_NE(model.asked(0).find("host();\nrest();\n"), std::string::npos);
  EXPECT_NE(model.asked(0).find(" lines left out]"), std::string::npos);
  EXPECT_LE(model.asked(0).size(), 8'000u);
  EXPECT_TRUE(sizes.starts_with("rewriter: about ")) << sizes;
  EXPECT_NE(sizes.find(" of 28754"), std::string::npos) << sizes;
}

TEST(Rewriter, AProgramThatDoesNotFitStopsWithTheSizes) {
  ScriptedModel model({whole("device();\n")});
  RewriteResult result = run(model, nullptr, {.prompt_tokens_max = 10});
  ASSERT_TRUE(result.stopped.has_value());
  EXPECT_TRUE(model.prompts.empty());
}

TEST(Rewriter, AnAttemptIsDescribedInOneLine) {
  ScriptedModel model({whole("device();\n")});
  RewriteResult result = run(model);
  std::string line = describe(result.attempts[0], 1);
  EXPECT_TRUE(line.starts_with("attempt 1: accepted; prompt about ")) << line;
  EXPECT_TRUE(line.ends_with("; reply 5 tokens, $0.5000")) << line;
}

}  // namespace
}  // namespace cuco::agent
