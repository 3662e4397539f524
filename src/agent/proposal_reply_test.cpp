#include "agent/proposal_reply.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::agent {
namespace {

const std::vector<std::string> kSites = {"s1", "s2"};
const char* const kPlan =
    "PLAN:\ns1 gin/split/peer-signal/cta/whole\ns2 host/deferred/stream-event/cta/whole\nschedule "
    "order=remote-first\n\n";
const char* const kBlock = "BLOCK: 1\n```cuda\nsplit();\n```\n";

EditableProgram one_block() {
  EditableProgram program;
  program.files = {{"a.cu", "setup();\n// EVOLVE-BLOCK-START\nbarrier();\n// EVOLVE-BLOCK-END\nfinish();\n"}};
  size_t begin = program.files[0].text.find("barrier");
  program.blocks = {{0, begin, begin + std::string("barrier();\n").size()}};
  return program;
}

Result<StatedProposal> read(const std::string& reply) { return read_proposal(one_block(), kSites, reply); }

std::string reply_error(const std::string& reply) {
  Result<StatedProposal> proposal = read(reply);
  return proposal ? "accepted" : proposal.error().message;
}

TEST(ProposalReply, IntentPlanAndBlockAreRead) {
  Result<StatedProposal> proposal = read(concat("INTENT: put early\n", kPlan, kBlock));
  ASSERT_TRUE(proposal.ok()) << proposal.error().message;
  EXPECT_EQ(proposal->intent, "put early");
  EXPECT_EQ(space::to_text(proposal->plan),
            "s1 gin/split/peer-signal/cta/whole\ns2 host/deferred/stream-event/cta/whole\n"
            "schedule streams=0 order=remote-first ctas=1 priority=default\n");
  EXPECT_EQ(proposal->program[0].text, "setup();\n// EVOLVE-BLOCK-START\nsplit();\n// EVOLVE-BLOCK-END\nfinish();\n");
}

TEST(ProposalReply, EditsAreRead) {
  Result<StatedProposal> proposal =
      read(concat(kPlan, "<<<<<<< SEARCH\nbarrier();\n=======\nsignal();\n>>>>>>> REPLACE\n"));
  ASSERT_TRUE(proposal.ok()) << proposal.error().message;
  EXPECT_NE(proposal->program[0].text.find("signal();"), std::string::npos);
}

TEST(ProposalReply, APlanInAFenceIsNoCode) {
  Result<StatedProposal> proposal =
      read(concat("**PLAN:**\n```\ns2 host/deferred/stream-event/cta/whole\n\n- s1 "
                  "`gin/split/peer-signal/cta/whole`\n```\nSome words.\n",
                  kBlock));
  ASSERT_TRUE(proposal.ok()) << proposal.error().message;
  EXPECT_EQ(proposal->plan.choices[0].site, "s1");
}

TEST(ProposalReply, MarkersAroundABlockAreDropped) {
  Result<StatedProposal> proposal =
      read(concat(kPlan, "BLOCK: 1\n```cuda\n// EVOLVE-BLOCK-START\nsplit();\n// EVOLVE-BLOCK-END\n```\n"));
  ASSERT_TRUE(proposal.ok()) << proposal.error().message;
  EXPECT_EQ(proposal->program[0].text, "setup();\n// EVOLVE-BLOCK-START\nsplit();\n// EVOLVE-BLOCK-END\nfinish();\n");
}

TEST(ProposalReply, AWholeFileAsItWasShownIsTheFile) {
  std::string text = replace_all(shown(one_block(), Detail::Whole, ""), "barrier();", "split();");
  Result<StatedProposal> proposal = read(concat(kPlan, text));
  ASSERT_TRUE(proposal.ok()) << proposal.error().message;
  EXPECT_EQ(proposal->program[0].text, "setup();\n// EVOLVE-BLOCK-START\nsplit();\n// EVOLVE-BLOCK-END\nfinish();\n");
}

TEST(ProposalReply, WithoutAPlanItSaysWhichSitesNeedOne) {
  EXPECT_EQ(reply_error(kBlock),
            "the reply states no plan before its code; begin with a line `PLAN:` and below it a line "
            "`site backend/placement/sync/issuer/chunk` for each of s1, s2");
  EXPECT_EQ(reply_error(concat(kBlock, kPlan)), reply_error(kBlock));
}

TEST(ProposalReply, AWrongWordInThePlanIsNamedWithItsPlace) {
  std::string error = reply_error(concat("PLAN:\ns1 gin/splt/peer-signal/cta/whole\n\n", kBlock));
  EXPECT_TRUE(error.starts_with("PLAN:2:8: placement `splt` is not one of ")) << error;
  EXPECT_NE(error.find("did you mean `split`?"), std::string::npos) << error;
}

TEST(ProposalReply, APlanSpeaksOfTheSitesOfTheProgram) {
  EXPECT_EQ(reply_error(concat("PLAN:\ns7 gin/split/peer-signal/cta/whole\n\n", kBlock)),
            "PLAN names the site `s7`, which the program does not have; its sites: s1, s2");
  EXPECT_EQ(reply_error(concat("PLAN:\ns1 gin/split/peer-signal/cta/whole\n\n", kBlock)),
            "PLAN has no directive for the site `s2`; state one for each of s1, s2");
}

TEST(ProposalReply, WithoutCodeItSaysWhatIsMissing) {
  EXPECT_EQ(reply_error(kPlan), "the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them");
  EXPECT_EQ(reply_error(concat(kPlan, "BLOCK: 1\nsplit();\n")),
            "a BLOCK line has no code block below it; send the block's whole text in one");
}

TEST(ProposalReply, AnEditThatDoesNotMatchIsExplained) {
  std::string error = reply_error(concat(kPlan, "<<<<<<< SEARCH\nbarier();\n=======\nx();\n>>>>>>> REPLACE\n"));
  EXPECT_TRUE(error.starts_with("edit 1: ")) << error;
  EXPECT_NE(error.find("no line is `barier();`"), std::string::npos) << error;
}

TEST(ProposalReply, ABlockThatDoesNotExistIsNamed) {
  EXPECT_EQ(reply_error(concat(kPlan, "BLOCK: 2\n```cuda\nx();\n```\n")),
            "BLOCK: 2 is not a block of the program; it has 1 block, numbered from 1");
}

TEST(ProposalReply, ABlockWithCodeLeftOutIsRefused) {
  EXPECT_EQ(reply_error(concat(kPlan, "BLOCK: 1\n```cuda\n// ... as before\n```\n")),
            "line 1 of BLOCK: 1 leaves code out: `// ... as before`; send every line, or SEARCH/REPLACE edits");
}

TEST(ProposalReply, AReplyThatChangesNothingIsRefused) {
  EXPECT_EQ(reply_error(concat(kPlan, "BLOCK: 1\n```cuda\nbarrier();\n```\n")),
            "the reply leaves the program as it is; send what must change");
}

}  // namespace
}  // namespace cuco::agent
