#include "evolve/proposers/member_text.h"

#include <algorithm>

#include "evolve/proposers/model_fixtures.h"

namespace cuco::evolve {
namespace {

class MemberTextTest : public ModelTest {};

TEST_F(MemberTextTest, BlocksOfEveryFileAreFound) {
  Result<agent::EditableProgram> program = editable_program(
      {{"a.cu", gather_program("one();\n")}, {"frozen.cpp", "int x;\n"}, {"b.cu", gather_program("two();\n")}});
  ASSERT_TRUE(program.ok());
  ASSERT_EQ(program->blocks.size(), 2u);
  EXPECT_EQ(agent::block_text(*program, 0), "one();\n");
  EXPECT_EQ(agent::block_text(*program, 1), "two();\n");
  EXPECT_EQ(program->blocks[1].file, 2u);
}

TEST_F(MemberTextTest, MarkersThatDoNotFitAreAnError) {
  EXPECT_EQ(editable_program({{"a.cu", "// EVOLVE-BLOCK-START\n"}}).error().message,
            "a.cu:1: this evolve block does not end");
}

TEST_F(MemberTextTest, PlansDifferInDimensionsSitesAndSchedule) {
  space::Plan from =
      *space::parse_plan("s1 gin/split/peer-signal/cta/whole\ns2 host/deferred/stream-event/cta/whole", "");
  space::Plan to = *space::parse_plan("s1 gin/split/peer-signal/cta/64KiB\nschedule order=remote-first", "");
  EXPECT_EQ(plan_difference(from, from), "");
  EXPECT_EQ(plan_difference(from, to),
            "s1 chunk: whole -> 64KiB; s2: gone; schedule streams=0 order=as-written ctas=1 priority=default -> "
            "schedule streams=0 order=remote-first ctas=1 priority=default");
}

std::string calls(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += concat("line", i, "();\n");
  return text;
}

TEST_F(MemberTextTest, TheBlocksOfTheFastestAreShownWhereTheyDifferInManyLines) {
  members[1].candidate.files[0].text = gather_program(calls(60));
  std::string text = inspirations_text({&members[1]}, members[0]);
  EXPECT_TRUE(text.ends_with(
      concat("### candidate 2, code that the program below does not have\n```cuda\n", calls(60), "```\n")))
      << text;
  std::vector<Member> faster = {gather_member(7, calls(61), kSplit, 50), gather_member(8, calls(62), kSplit, 51)};
  text = inspirations_text({&members[1], &faster[1], &faster[0]}, members[0]);
  EXPECT_LT(text.find("### candidate 7: "), text.find("### candidate 8: "));
  EXPECT_NE(text.find("line61"), std::string::npos);
  EXPECT_NE(text.find("### candidate 2: "), std::string::npos);
  EXPECT_EQ(text.find("### candidate 2, code"), std::string::npos) << "the third is told without its code";
}

// What must not be lost stands first: sections are cut from their end.
TEST_F(MemberTextTest, FactsOfAllStandBeforeCodeOfAny) {
  std::string text = inspirations_text({&members[1], &members[2]}, members[0]);
  size_t last_fact = std::max(text.find("### candidate 2: "), text.find("### candidate 3: "));
  EXPECT_LT(last_fact, text.find(", code that")) << text;
}

TEST_F(MemberTextTest, OfLongBlocksTheBeginOfThoseThatCommunicateIsShown) {
  std::vector<SourceFile>& files = members[1].candidate.files;
  files.push_back({"more.cu", gather_program("ncclGin gin;\n" + calls(600))});
  files[0].text = gather_program("compute();\n" + calls(700));
  std::string text = inspirations_text({&members[1]}, members[0]);
  EXPECT_NE(text.find("ncclGin gin;\nline0();\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("();\n[the rest is left out]\n```\n")) << text;
  EXPECT_EQ(text.find("compute();"), std::string::npos);
}

TEST_F(MemberTextTest, TheParentIsNoInspirationToItself) {
  EXPECT_EQ(inspirations_text({&members[0]}, members[0]), "");
}

TEST_F(MemberTextTest, TheLatestFailuresComeFirst) {
  Member older = failed_member(2, kSplit);
  older.candidate.failure = "no plan";
  std::string text = failures_text({&older, &members[3]}, 5);
  size_t latest = text.find("### candidate 4"), before = text.find("### candidate 2");
  ASSERT_NE(before, std::string::npos);
  EXPECT_LT(latest, before);
  EXPECT_NE(text.find("No program came of it: no plan\n"), std::string::npos);
  EXPECT_EQ(failures_text({&older, &members[3]}, 1).find("### candidate 2"), std::string::npos);
}

TEST_F(MemberTextTest, OneFindingOfEachKindIsShown) {
  std::vector<evaluate::Finding>& findings = members[3].verdict.findings;
  findings.push_back(findings[0]);
  findings.push_back(findings[0]);
  findings[2].kind = "window_race";
  std::string text = failures_text({&members[3]}, 1);
  EXPECT_NE(text.find("- deadlock: "), std::string::npos);
  EXPECT_EQ(text.find("- deadlock: "), text.rfind("- deadlock: "));
  EXPECT_NE(text.find("- window_race: "), std::string::npos);
  EXPECT_NE(text.find("- and 1 more\n"), std::string::npos) << text;
}

TEST_F(MemberTextTest, OutcomesAreSeenAgainstTheParent) {
  members[2].candidate.parent = 1;
  std::string text = outcomes_text({&members[2], &members[3]}, members);
  EXPECT_NE(text.find("Passed: 90.000 us, 1.333 times as fast as candidate 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Rejected:\n- deadlock: "), std::string::npos);
}

}  // namespace
}  // namespace cuco::evolve
