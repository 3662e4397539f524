#include "agent/proposer.h"

#include <gtest/gtest.h>

#include "agent/summariser.h"
#include "base/text.h"
#include "llm/model.h"

namespace cuco::agent {
namespace {

EditableProgram program_with(const std::string& frozen, const std::string& block) {
  EditableProgram program;
  program.files = {{"a.cu", concat(frozen, "// EVOLVE-BLOCK-START\n", block, "// EVOLVE-BLOCK-END\n", frozen)}};
  size_t begin = program.files[0].text.find(block);
  program.blocks = {{0, begin, begin + block.size()}};
  return program;
}

ProposalRequest request_with(const EditableProgram& program) {
  ProposalRequest request;
  request.program = program;
  request.verdict = "verdict text";
  request.directive = "directive text";
  request.api_rules = "rules text";
  request.machine = "machine text";
  request.analysis = "analysis text";
  request.inspirations = "### candidate 3\ninspiration text\n";
  request.failures = "### candidate 4\nfailure text\n";
  request.lessons = "lesson text";
  request.draw = "d1";
  request.other = program_with("", "other_block();\n");
  request.other_verdict = "other verdict text";
  return request;
}

RolePrompt prompt_of(ProposalKind kind, const ProposalRequest& request, ProposerLimits limits = {}) {
  Result<ProposerPrompts> prompts = ProposerPrompts::load(CUCO_SOURCE_DIR, limits);
  EXPECT_TRUE(prompts.ok()) << (prompts ? "" : prompts.error().message);
  Result<RolePrompt> made = prompts->make(kind, request);
  EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
  return *made;
}

const std::string& user_text(const RolePrompt& prompt) { return prompt.prompt.messages.at(0).text; }

std::string lines(const std::string& line, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += line + "\n";
  return text;
}

class EveryKind : public ::testing::TestWithParam<ProposalKind> {};
INSTANTIATE_TEST_SUITE_P(Proposer, EveryKind,
                         ::testing::Values(ProposalKind::Full, ProposalKind::Diff, ProposalKind::Crossover),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST_P(EveryKind, CarriesAllThatIsKnown) {
  RolePrompt made = prompt_of(GetParam(), request_with(program_with("frozen();\n", "block();\n")));
  for (const char* part : {"verdict text", "directive text", "rules text", "machine text", "analysis text",
                           "inspiration text", "failure text", "lesson text", "draw d1", "- block 1: a.cu, lines 3-3",
                           "- frozen: a.cu, lines 1-2, 4-5", "frozen();\n// EVOLVE-BLOCK-START (block 1)\nblock();\n"})
    EXPECT_NE(user_text(made).find(part), std::string::npos) << part;
  EXPECT_NE(made.prompt.system.find("PLAN:\ns1 gin/split/peer-signal/cta/whole"), std::string::npos);
  EXPECT_EQ(user_text(made).find("{{"), std::string::npos);
}

TEST_P(EveryKind, SaysWhatThereIsNotYet) {
  ProposalRequest request = request_with(program_with("frozen();\n", "block();\n"));
  request.inspirations = request.failures = request.lessons = request.analysis = "";
  const std::string text = user_text(prompt_of(GetParam(), request));
  EXPECT_NE(text.find("# Lessons of the search so far\n\nNone yet."), std::string::npos);
  EXPECT_NE(text.find("# What failed lately, and why\n\nNothing."), std::string::npos);
}

TEST(Proposer, ACrossoverShowsTheBlocksOfBoth) {
  RolePrompt made = prompt_of(ProposalKind::Crossover, request_with(program_with("frozen();\n", "block();\n")));
  EXPECT_NE(user_text(made).find("BLOCK: 1\n```cuda\nother_block();\n```"), std::string::npos);
  EXPECT_NE(user_text(made).find("other verdict text"), std::string::npos);
}

TEST(Proposer, ARepairCarriesTheRejectedProgramAndWhy) {
  ProposalRequest request = request_with(program_with("frozen();\n", "block();\n"));
  request.rejection = "rejection text";
  const std::string text = user_text(prompt_of(ProposalKind::Repair, request));
  for (const char* part : {"rules text", "machine text", "block();\n", "rejection text", "directive text", "draw d1"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find("inspiration text"), std::string::npos);
}

TEST(Proposer, ALongProgramKeepsItsBlocksWhole) {
  std::string block = lines("block_line();", 300);
  ProposalRequest request = request_with(program_with(lines("frozen_line();", 4'000), block));
  const std::string text = user_text(prompt_of(ProposalKind::Full, request));
  EXPECT_NE(text.find(concat("// EVOLVE-BLOCK-START (block 1)\n", block, "// EVOLVE-BLOCK-END\n")), std::string::npos);
  EXPECT_NE(text.find("[3961 frozen lines left out]"), std::string::npos);
  EXPECT_NE(text.find("verdict text"), std::string::npos);
}

TEST(Proposer, WhatIsKnownGivesWayBeforeCodeInItsOrder) {
  ProposalRequest request = request_with(program_with("frozen();\n", "block();\n"));
  request.analysis = lines("analysis line", 2'000);
  request.inspirations = lines("### candidate 9\ninspiration one\ninspiration two", 300);
  ProposerLimits limits;
  limits.prompt_tokens_aim = 3'000;
  const std::string text = user_text(prompt_of(ProposalKind::Diff, request, limits));
  EXPECT_NE(text.find("[2000 lines left out]"), std::string::npos);
  EXPECT_NE(text.find("inspiration two\n["), std::string::npos) << "an entry was cut";
  EXPECT_NE(text.find(" entries left out]"), std::string::npos);
  for (const char* part : {"failure text", "lesson text", "block();\n", "rules text"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Proposer, BlocksAboveTheAimBringLittleElseAlong) {
  ProposalRequest request = request_with(program_with("", lines("block_line();", 4'000)));
  request.analysis = lines("analysis line", 8'000);
  const RolePrompt made = prompt_of(ProposalKind::Full, request);
  EXPECT_GT(llm::tokens_about(llm::to_text(made.prompt)), ProposerLimits{}.prompt_tokens_aim);
  EXPECT_LT(llm::tokens_about(llm::to_text(made.prompt)), 17'000u);
  EXPECT_NE(user_text(made).find("block_line();\n// EVOLVE-BLOCK-END"), std::string::npos);
}

TEST(Proposer, BlocksThatDoNotFitAreAnError) {
  ProposerLimits limits;
  limits.prompt_tokens_aim = limits.prompt_tokens_max = 3'000;
  Result<ProposerPrompts> prompts = ProposerPrompts::load(CUCO_SOURCE_DIR, limits);
  ASSERT_TRUE(prompts.ok());
  Result<RolePrompt> made =
      prompts->make(ProposalKind::Full, request_with(program_with("", lines("block_line();", 4'000))));
  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(made.error().message.starts_with("the prompt does not fit")) << made.error().message;
}

TEST(Summariser, EachRequestCarriesWhatItIsAbout) {
  Result<SummariserPrompts> prompts = SummariserPrompts::load(CUCO_SOURCE_DIR, {});
  ASSERT_TRUE(prompts.ok()) << prompts.error().message;
  EXPECT_NE(user_text(*prompts->summarise("### candidate 5\nslower")).find("### candidate 5\nslower"),
            std::string::npos);
  std::string update = user_text(*prompts->update("", "the summary of five"));
  EXPECT_NE(update.find("# The scratchpad\n\nIt is empty."), std::string::npos);
  EXPECT_NE(update.find("the summary of five"), std::string::npos);
  std::string recommend = user_text(*prompts->recommend("split pays", "candidate 5, 10 us"));
  EXPECT_NE(recommend.find("split pays"), std::string::npos);
  EXPECT_NE(recommend.find("candidate 5, 10 us"), std::string::npos);
}

}  // namespace
}  // namespace cuco::agent
