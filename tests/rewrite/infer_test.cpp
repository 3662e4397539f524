// The plan inferred from a rewritten program is the one that it was rewritten by, in backend and placement.
#include "rewrite/infer.h"

#include <gtest/gtest.h>

#include "planned.h"

namespace cuco {
namespace {

struct Inferred {
  space::Plan stated;
  rewrite::InferredPlan plan;
};

Result<Inferred> inferred(const std::filesystem::path& program, const std::string& plan_text) {
  Result<Analysed> before = analysed(program);
  if (!before) return before.error();
  Result<space::Plan> plan = space::parse_plan(plan_text, "plan");
  if (!plan) return plan.error();
  Result<rewrite::Rewritten> result = rewritten_by(*before, *plan);
  if (!result) return result.error();
  ScratchFolder scratch = ScratchFolder::make("cuco-infer").value();
  std::filesystem::path file = scratch.path() / "program.cu";
  if (Status written = write_file(file, result->sources[0].text); !written) return written.error();
  Result<Analysed> after = analysed(file);
  if (!after) return after.error();
  return Inferred{*plan,
                  rewrite::infer_plan({before->program, before->graph, after->program, after->graph, after->sources})};
}

void expect_same_plan(const std::string& plan_text) {
  SCOPED_TRACE(plan_text);
  Result<Inferred> found = inferred(kFolder / "three_exchanges.cu", plan_text);
  ASSERT_TRUE(found) << found.error().message;
  for (const space::SiteChoice& choice : found->stated.choices) {
    const space::Directive* directive = space::find_directive(found->plan.plan, choice.site);
    ASSERT_NE(directive, nullptr) << choice.site;
    EXPECT_EQ(directive->backend, choice.directive.backend) << choice.site << " " << space::to_text(*directive);
    EXPECT_EQ(directive->placement, choice.directive.placement) << choice.site << " " << space::to_text(*directive);
  }
}

TEST(InferredPlan, IsTheStatedOneForEveryBackend) {
  for (std::string backend : {"lsa", "gin", "hybrid"}) {
    std::string directive = concat(" ", backend, "/deferred/barrier/cta/whole\n");
    expect_same_plan(concat("s1", directive, "s2", directive, "s3", directive, "s4", directive));
  }
}

TEST(InferredPlan, TellsHostCallsFromDeviceOnes) {
  expect_same_plan(
      "s1 host/deferred/stream-event/cta/whole\n"
      "s2 gin/deferred/barrier/cta/whole\n"
      "s3 gin/deferred/barrier/cta/whole\n"
      "s4 host/deferred/stream-event/cta/whole\n");
}

TEST(InferredPlan, TellsPlacementsApartInOneProgram) {
  expect_same_plan(
      "s1 gin/split/peer-signal/cta/whole\n"
      "s2 gin/deferred/barrier/cta/whole\n"
      "s3 gin/deferred/barrier/cta/whole\n"
      "s4 gin/stream/barrier/cta/whole\n"
      "schedule streams=1\n");
}

// with_fallback.cu in one of its forms.
Result<Analysed> written_as(int form) {
  ScratchFolder scratch = ScratchFolder::make("cuco-infer").value();
  std::filesystem::path file = scratch.path() / "program.cu";
  std::string text = concat("#define FORM ", form, "\n", *read_file(kFolder / "with_fallback.cu"));
  if (Status written = write_file(file, text); !written) return written.error();
  return analysed(file);
}

void expect_plan(int form, const std::string& first, const std::string& kernel) {
  SCOPED_TRACE(form);
  Result<Analysed> before = written_as(0), after = written_as(form);
  ASSERT_TRUE(before && after) << (before ? after : before).error().message;
  rewrite::InferredPlan found =
      rewrite::infer_plan({before->program, before->graph, after->program, after->graph, after->sources});
  ASSERT_EQ(found.plan.choices.size(), 2u);
  EXPECT_TRUE(space::to_text(found.plan.choices[0].directive).starts_with(first))
      << space::to_text(found.plan.choices[0].directive);
  EXPECT_EQ(found.kernels["s1"], std::vector<std::string>{kernel});
  // The library's call stands for the second in every form.
  EXPECT_EQ(space::to_text(found.plan.choices[1].directive), "gin/deferred/barrier/cta/whole");
}

TEST(InferredPlan, IsThatOfTheKernelWhereTheLibraryIsTheFallback) {
  for (int form : {1, 2, 3}) expect_plan(form, "lsa/tile-fused/", "scale_to_peers");
}

TEST(InferredPlan, TellsBlocksThatOnlySendFromTheFallback) { expect_plan(5, "lsa/specialised/", "scale_to_peers"); }

// A kernel that sends for one site and uses what another has brought does not stand for that one.
TEST(InferredPlan, KeepsTheLibraryForWhatAKernelOnlyUses) { expect_plan(4, "lsa/tile-fused/", "scale_to_peers"); }

}  // namespace
}  // namespace cuco
