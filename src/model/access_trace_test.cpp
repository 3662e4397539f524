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
  call.call = {Collective::Send, 4096, 1, 0, 2, {true, 3, 128}, {}, 2};
  AccessTrace trace{{{launch, call}, {}}, {{{512, "cudaMalloc at a.cu:3"}}, {}}};
  trace.varying = {{"a.cu:7", "with other inputs"}};
  trace.varying_received = {{"a.cu:8", "with other inputs"}};
  trace.ranks[0][0].launch.numbers = {{1, 0, 64}, {2, 4, 7}};
  trace.repeats = {trace};
  trace.further = {trace.repeats[0], {{{call}}, {{}}}};
  Result<AccessTrace> read = parse_access_trace(to_json(trace));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, trace);
}

AccessTrace trace_writing(uint64_t begin, uint64_t read_from) {
  TracedStep launch;
  launch.place = "a.cu:7", launch.is_launch = true;
  launch.launch.blocks = {{{0, 0, 0}, {{3, false, read_from, 8, 8, 1}, {3, true, begin, 16, 16, 1}}}};
  return {{{launch}}, {}};
}

TEST(AccessTrace, PlacesThatWriteOtherBytesVary) {
  AccessTrace trace = trace_writing(64, 0);
  note_varying(trace, trace_writing(128, 0), "with other inputs");
  EXPECT_EQ(trace.varying, (std::vector<VaryingPlace>{{"a.cu:7", "with other inputs"}}));
}

TEST(AccessTrace, PlacesThatReadOtherBytesDoNot) {
  AccessTrace trace = trace_writing(64, 0);
  note_varying(trace, trace_writing(64, 512), "with other inputs");
  EXPECT_TRUE(trace.varying.empty());
  EXPECT_TRUE(trace.varying_received.empty());
}

TEST(AccessTrace, PlacesThatReadOtherBytesOfWhatIsReceivedVary) {
  AccessTrace trace = trace_writing(64, 0), other = trace_writing(64, 512);
  for (AccessTrace* one : {&trace, &other}) {
    one->ranks[0].emplace_back();
    one->ranks[0].back().call.receive = {true, 3, 0};
  }
  note_varying(trace, other, "with other inputs");
  EXPECT_EQ(trace.varying_received, (std::vector<VaryingPlace>{{"a.cu:7", "with other inputs"}}));
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
