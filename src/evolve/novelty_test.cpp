#include "evolve/novelty.h"

#include <gtest/gtest.h>

#include "evolve/fixtures.h"

namespace cuco::evolve {
namespace {

// A kernel of many statements, with `odd` as one of them.
std::string program(const std::string& odd, int statements = 400) {
  std::string text = "__global__ void kernel(float* a) {\n";
  for (int i = 0; i < statements; ++i) text += concat("  a[", i, "] = a[", i + 1, "] + a[", i * 7 % 31, "];\n");
  return text + odd + "}\n";
}

Member member_of_text(const std::string& text, store::Id id, const std::string& plan = {}) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.plan = plan;
  candidate.files = {{"program.cu", text}};
  return member_of(candidate);
}

std::optional<std::string> objection(const Member& first, const Member& second) {
  std::vector<Member> members = {first};
  Novelty novelty(0.995);
  novelty.catch_up(members);
  return novelty.objection(second, members);
}

const char* kSplitPlan = "s1 gin/split/peer-signal/cta/whole\n";
const char* kStream = "s1 gin/stream/peer-signal/cta/whole\n";

TEST(Novelty, SpacingAndCommentsDoNotMakeAProgram) {
  Member first = member_of_text("int main() { return 1; }", 1, kSplitPlan);
  Member second = member_of_text("int main()\n{\n  return 1; // one\n}", 2, kStream);
  EXPECT_EQ(objection(first, second), "the same program as #1");
}

TEST(Novelty, NearlyTheSameTextWithTheSamePlanIsNotEvaluated) {
  std::optional<std::string> reason =
      objection(member_of_text(program(""), 1, kSplitPlan), member_of_text(program("  (void)a;\n"), 2, kSplitPlan));
  ASSERT_TRUE(reason.has_value());
  EXPECT_NE(reason->find("of its text with #1"), std::string::npos) << *reason;
}

TEST(Novelty, AReplyOfAModelIsOnlyRefusedWhenItIsTheSame) {
  Member first = member_of_text(program(""), 1, kSplitPlan),
         second = member_of_text(program("  (void)a;\n"), 2, kSplitPlan);
  first.candidate.reply = second.candidate.reply = "key";
  EXPECT_FALSE(objection(first, second));
  EXPECT_TRUE(is_objection(*objection(first, first)));
}

TEST(Novelty, AnotherPlanIsAnotherProgram) {
  EXPECT_FALSE(
      objection(member_of_text(program(""), 1, kSplitPlan), member_of_text(program("  (void)a;\n"), 2, kStream)));
}

TEST(Novelty, AnotherNumberIsAnotherProgram) {
  EXPECT_FALSE(objection(member_of_text(program("  a[0] = 2;\n"), 1, kSplitPlan),
                         member_of_text(program("  a[0] = 3;\n"), 2, kSplitPlan)));
}

TEST(Novelty, AFewStatementsMoreAreEnough) {
  std::string more;
  for (int i = 0; i < 20; ++i) more += concat("  a[k", i, "] += b;\n");
  EXPECT_FALSE(objection(member_of_text(program(""), 1, kSplitPlan), member_of_text(program(more), 2, kSplitPlan)));
}

TEST(Fingerprint, SketchComesCloseToTheSimilarityItStandsFor) {
  for (int statements : {200, 300, 380}) {
    Fingerprint whole = fingerprint({{"a", program("")}}), part = fingerprint({{"a", program("", statements)}});
    EXPECT_NEAR(similarity(whole.sketch, part.sketch), similarity(whole, part), 0.08) << statements;
  }
}

TEST(Fingerprint, OrderOfPassagesMattersLittle) {
  Fingerprint ab = fingerprint({{"a", "int f() { return a + b; } int g() { return c * d; }"}});
  Fingerprint ba = fingerprint({{"a", "int g() { return c * d; } int f() { return a + b; }"}});
  EXPECT_GT(similarity(ab, ba), 0.6);
  EXPECT_LT(similarity(ab, fingerprint({{"a", "void other(float x) { x -= 2; }"}})), 0.1);
}

}  // namespace
}  // namespace cuco::evolve
