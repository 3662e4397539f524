#include "model/access_trace.h"

#include <gtest/gtest.h>

namespace cuco::model {

namespace {

TEST(AccessTrace, SurvivesItsTextForm) {
  TracedStep launch;
  launch.place = "a \"b\".cu:7", launch.stream = 2, launch.is_launch = true;
  launch.launch = {"scale<float>", {2, 1, 1}, {32, 1, 1}, {{{0, 0, 0}, {{3, true, 64, 16, 32, 4, true}}, false}}};
  launch.launch.blocks.push_back(
      {{1, 0, 0}, {{3, false, 0, 8, 8, 1, false}}, true, {{3, false, 0, 2, 6, 2, true}}, {3, 5}});
  TracedStep call;
  call.place = "a.cu:9";
  call.call = {"ncclSend", 4096, 1, 0, 2, {true, 3, 128}, {}, 2};
  AccessTrace trace{{{launch, call}, {}}, {{{512, "cudaMalloc at a.cu:3"}}, {}}};
  Result<AccessTrace> read = parse_access_trace(to_json(trace));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, trace);
}

TEST(AccessTrace, OtherTextIsAnError) {
  EXPECT_FALSE(parse_access_trace("").ok());
  EXPECT_FALSE(parse_access_trace("{\"ranks\":[[{\"place\":1}]]}").ok());
}

TEST(Footprint, EndsWithItsLastPiece) {
  Footprint print{0, true, 100, 10, 50, 3, true};
  EXPECT_EQ(print.end(), 210u);
}

}  // namespace

}  // namespace cuco::model
