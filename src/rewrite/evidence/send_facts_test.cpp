#include "rewrite/evidence/send_facts.h"

#include <gtest/gtest.h>

#include "model/program.h"

namespace cuco::rewrite {
namespace {

using footprint::Access;
using footprint::AccessForm;
using footprint::LaunchNumber;
using footprint::Term;
using model::Footprint;
using model::TracedLaunch;
using model::TracedStep;

// Blocks of a launch along x, each with what it writes of buffer 1.
TracedLaunch launch_of(const std::vector<Footprint>& written) {
  TracedLaunch launch{"fill", {static_cast<uint32_t>(written.size()), 1, 1}, {32, 1, 1}, {}, {{0, 0, 1, 64}}};
  for (uint32_t i = 0; i < written.size(); i++) launch.blocks.push_back({{i, 0, 0}, {written[i]}, false, {}, {}});
  return launch;
}
Footprint run_at(uint64_t begin, uint64_t bytes) { return {1, true, begin, bytes, 0, 1, true}; }

TracedStep launch_step(TracedLaunch launch) { return {"a.cu:3", 0, true, std::move(launch), {}}; }
TracedStep send_step(uint64_t offset, uint64_t bytes) {
  return {"a.cu:5", 0, false, {}, {model::Collective::Send, bytes, 1, 0, 2, {true, 1, offset}, {}, 4}};
}
TracedStep receive_step(uint32_t buffer, uint64_t offset, uint64_t bytes) {
  return {"a.cu:6", 0, false, {}, {model::Collective::Recv, bytes, 1, 0, 2, {}, {true, buffer, offset}, 4}};
}

std::vector<SendingLaunch> launches_in(std::vector<TracedStep> steps, uint32_t group = 7) {
  model::AccessTrace trace;
  trace.ranks = {std::move(steps)};
  return sending_launches(trace, {{"a.cu:5", group}, {"a.cu:6", group}});
}

TEST(SendingLaunches, TilesLieBehindThePointerThatTheKernelGets) {
  std::vector<SendingLaunch> found =
      launches_in({launch_step(launch_of({run_at(64, 128), run_at(192, 128)})), send_step(64, 256)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].obstacle, "");
  EXPECT_EQ(found[0].forms.at(0).accesses.at(0), exactly(Access{0, 0, true, 0, {128, 0, 0}, 128, 128, 1, 256}));
}

TEST(SendingLaunches, ACaseThatOtherSizesDoNotShowHasAnObstacle) {
  model::AccessTrace trace;
  trace.ranks = {{launch_step(launch_of({run_at(64, 128), run_at(192, 128)})), send_step(64, 256)}};
  trace.is_case = true;
  EXPECT_EQ(sending_launches(trace, {{"a.cu:5", 7}}).at(0).obstacle,
            "no product of its launch's numbers gives what its blocks write at all traced sizes");
}

TEST(SendingLaunches, OneThatTouchesWhatItsExchangeReceivesHasAnObstacle) {
  std::vector<TracedStep> steps = {launch_step(launch_of({run_at(64, 128), run_at(192, 128)})), send_step(64, 128),
                                   receive_step(1, 192, 128)};
  EXPECT_EQ(launches_in(steps).at(0).obstacle, "it touches what is received with what it sends");
  EXPECT_EQ(launches_in(steps, model::kNone).at(0).obstacle, "") << "calls by themselves are no exchange together";
}

TEST(SendingLaunches, OneThatFeedsNothingEndsTheRow) {
  TracedLaunch other = launch_of({run_at(1024, 64)});
  EXPECT_TRUE(launches_in({launch_step(launch_of({run_at(64, 128)})), launch_step(other), send_step(64, 128)}).empty());
}

TEST(SendingLaunches, LaunchesOfOneShapeHaveToWriteTheSame) {
  std::vector<TracedStep> steps = {launch_step(launch_of({run_at(64, 128), run_at(192, 128)})), send_step(64, 256),
                                   launch_step(launch_of({run_at(192, 128), run_at(64, 128)})), send_step(64, 256)};
  EXPECT_EQ(launches_in(steps).at(0).obstacle, "launches of one shape write other bytes");
}

TEST(SendingLaunches, NumbersThatDifferAreOfNoMatter) {
  TracedLaunch first = launch_of({run_at(64, 128), run_at(192, 128)}), second = first;
  first.numbers = {{1, 0, 5}, {2, 0, 64}};
  second.numbers = {{1, 0, 6}, {2, 0, 64}};
  std::vector<SendingLaunch> found =
      launches_in({launch_step(first), send_step(64, 256), launch_step(second), send_step(64, 256)});
  EXPECT_EQ(found.at(0).forms.at(0).guard.relations, (std::vector<footprint::Relation>{{{2, 0}, footprint::Term{64}}}));
}

// Launches over rows x columns of bytes in tiles of 8 x 8; arguments 1 and 2 are these numbers.
TracedLaunch tiled(int64_t rows, int64_t columns) {
  TracedLaunch launch;
  launch.grid = {static_cast<uint32_t>(columns / 8), static_cast<uint32_t>(rows / 8), 1};
  launch.numbers = {{1, 0, rows}, {2, 0, columns}};
  return launch;
}
Access tiles_at(int64_t rows, int64_t columns) {
  int64_t all = rows * columns;
  if (columns == 8) return {0, 0, true, columns, {0, 64, 0}, 64, 64, 1, all};
  return {0, 0, true, columns, {8, 8 * columns, 0}, 8, columns, 8, all};
}

class SizedSends : public ::testing::Test {
 protected:
  std::optional<AccessForm> of(std::vector<Access> own, std::vector<Access> others) const {
    return sized_sends({{&first, std::move(own)}}, {{&narrow, std::move(others)}, {&flat, {tiles_at(24, 64)}}});
  }

  TracedLaunch first = tiled(48, 64), narrow = tiled(48, 8), flat = tiled(24, 64);
  const LaunchNumber rows = {1, 0}, columns = {2, 0};
};

TEST_F(SizedSends, TilesAreProductsWhereFurtherSizesShowIt) {
  std::optional<AccessForm> form = of({tiles_at(48, 64)}, {tiles_at(48, 8)});
  ASSERT_TRUE(form);
  EXPECT_EQ(form->accesses.at(0).offset, (Term{1, 1, {columns}}));
  EXPECT_EQ(form->accesses.at(0).steps, (std::array<Term, 3>{Term{8}, Term{8, 1, {columns}}, Term{}}));
  EXPECT_EQ(form->accesses.at(0).stride, (Term{1, 1, {columns}}));
  EXPECT_EQ(form->accesses.at(0).filled, (Term{1, 1, {rows, columns}}));
}

TEST_F(SizedSends, BytesThatAreOnlyBoundedHaveNone) {
  Access bounded = tiles_at(48, 8);
  bounded.filled = 0;
  EXPECT_FALSE(of({tiles_at(48, 64)}, {bounded}));
}

TEST_F(SizedSends, OneFurtherSizeIsTooFew) {
  EXPECT_FALSE(sized_sends({{&first, {tiles_at(48, 64)}}}, {{&flat, {tiles_at(24, 64)}}}));
}

TEST_F(SizedSends, ANumberThatNoProductGivesHasNone) {
  Access odd = tiles_at(48, 8);
  odd.offset = 13;
  EXPECT_FALSE(of({tiles_at(48, 64)}, {odd}));
}

}  // namespace
}  // namespace cuco::rewrite
