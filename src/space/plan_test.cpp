#include "space/plan.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "space/enumerate.h"
#include "space/fixtures.h"

namespace cuco::space {
namespace {

std::string plan_error(std::string_view text) {
  Result<Plan> parsed = parse_plan(text, "p.plan");
  return parsed ? "parsed" : parsed.error().message;
}

TEST(Plan, SampledPlansRoundTrip) {
  Random random(11);
  std::vector<SiteFacts> sites = {test_site("s1"), transfer_site("s2", model::Collective::Send),
                                  transfer_site("s3", model::Collective::Recv)};
  for (int i = 0; i < 200; ++i) {
    Plan plan = sample_plan(sites, two_nodes_of_four(), random);
    Result<Plan> parsed = parse_plan(to_text(plan), "p.plan");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, plan) << to_text(plan);
  }
}

TEST(Plan, HasOneLineASiteAndOneForTheSchedule) {
  Plan plan{{{"s1", directive("gin/split/peer-signal/cta/whole")}},
            {1, WorkOrder::RemoteFirst, 4, StreamPriority::High}};
  EXPECT_EQ(to_text(plan),
            "s1 gin/split/peer-signal/cta/whole\n"
            "schedule streams=1 order=remote-first ctas=4 priority=high\n");
}

TEST(Plan, SaysWhoWaitsWhereItIsNotTheStream) {
  Plan plan{{{"s1", directive("gin/stream/peer-signal/cta/whole")}}, {}};
  plan.schedule.waits = Waits::Blocks;
  EXPECT_EQ(to_text(plan),
            "s1 gin/stream/peer-signal/cta/whole\n"
            "schedule streams=0 order=as-written ctas=1 priority=default waits=blocks\n");
  EXPECT_EQ(*parse_plan(to_text(plan), "p.plan"), plan);
  EXPECT_EQ(plan_error("schedule waits=block"),
            "p.plan:1:16: waits `block` is not one of stream, blocks (did you mean `blocks`?)");
}

TEST(Plan, SkipsCommentsBlankLinesAndCarriageReturns) {
  Result<Plan> plan =
      parse_plan("# head\r\n\r\n\ts1  lsa/deferred/barrier/cta/whole # why\r\nschedule ctas=2", "p.plan");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->choices.size(), 1u);
  EXPECT_EQ(plan->choices[0].site, "s1");
  EXPECT_EQ(plan->schedule, (Schedule{0, WorkOrder::AsWritten, 2, StreamPriority::Default}));
}

TEST(Plan, ErrorsTellLineAndColumn) {
  EXPECT_EQ(plan_error("\n  s1 gin/split/flg/cta/whole\n"),
            "p.plan:2:16: sync `flg` is not one of barrier, peer-signal, chunk-signal, flag, stream-event, host-sync "
            "(did you mean `flag`?)");
  EXPECT_EQ(plan_error("s1"), "p.plan:1:1: site `s1` has no directive; write `s1 backend/placement/sync/issuer/chunk`");
  EXPECT_EQ(plan_error("s1 lsa/deferred/barrier/cta/whole fast"),
            "p.plan:1:35: `fast` follows the directive; a site has one a line");
  EXPECT_EQ(plan_error("s1 lsa/deferred/barrier/cta/whole\ns1 lsa/deferred/barrier/cta/whole"),
            "p.plan:2:1: site `s1` has a directive already");
}

TEST(Plan, ErrorsInTheScheduleTellLineAndColumn) {
  EXPECT_EQ(plan_error("schedule streems=1"),
            "p.plan:1:10: schedule key `streems` is not one of streams, order, ctas, priority, waits (did you mean "
            "`streams`?)");
  EXPECT_EQ(plan_error("schedule streams=1 order=remote"),
            "p.plan:1:26: order `remote` is not one of as-written, remote-first, local-first, side-by-side");
  EXPECT_EQ(plan_error("schedule ctas=0"), "p.plan:1:15: ctas `0` is not a number from 1 to 1024");
  EXPECT_EQ(plan_error("schedule ctas=4x"), "p.plan:1:15: ctas `4x` is not a number from 1 to 1024");
  EXPECT_EQ(plan_error("schedule ctas"), "p.plan:1:10: write ctas=VALUE");
  EXPECT_EQ(plan_error("schedule ctas=2 ctas=3"), "p.plan:1:17: ctas is stated twice");
  EXPECT_EQ(plan_error("schedule\nschedule"), "p.plan:2:1: the plan has a schedule already");
}

}  // namespace
}  // namespace cuco::space
