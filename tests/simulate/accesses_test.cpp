// What a run keeps of the bytes that blocks touch, for a program whose bytes are known.
#include <algorithm>

#include "model/access_trace.h"
#include "run_program.h"

namespace cuco {
namespace {

model::AccessTrace traced(const char* program) {
  ScratchFolder scratch = ScratchFolder::make("cuco-accesses").value();
  vcluster::SimulationRequest request = request_for(kSource / "tests" / "simulate" / program, scratch.path());
  Result<std::filesystem::path> plugin = vcluster::default_check_plugin();
  EXPECT_TRUE(plugin);
  request.build.check_plugin = *plugin;
  request.accesses = scratch.path() / "accesses.json";
  request.only_accesses = true;
  run(request);
  Result<std::string> text = read_file(request.accesses);
  EXPECT_TRUE(text);
  Result<model::AccessTrace> trace = model::parse_access_trace(text ? *text : "");
  EXPECT_TRUE(trace);
  return trace ? *trace : model::AccessTrace{};
}

TEST(Accesses, BlocksOfATiledKernelTouchTheirTiles) {
  model::AccessTrace trace = traced("bytes_of_blocks.cu");
  ASSERT_EQ(trace.ranks.size(), 2u);
  ASSERT_EQ(trace.ranks[0].size(), 3u);
  const model::TracedStep& step = trace.ranks[0][0];
  EXPECT_TRUE(step.place.ends_with("/bytes_of_blocks.cu:35")) << step.place;
  EXPECT_EQ(step.launch.grid, (std::array<uint32_t, 3>{2, 2, 1}));
  ASSERT_EQ(step.launch.blocks.size(), 4u);
  const model::TracedBlock& block = step.launch.blocks[3];
  EXPECT_EQ(block.index, (std::array<uint32_t, 3>{1, 1, 0}));
  // Two rows of 128 bytes, 256 apart, that begin in row 2 and column 32.
  uint32_t in = block.footprints.at(0).buffer;
  EXPECT_EQ(block.footprints.at(0), (model::Footprint{in, false, 640, 128, 256, 2, true}));
  EXPECT_EQ(block.footprints.at(1), (model::Footprint{in + 1, true, 640, 128, 256, 2, true}));
  EXPECT_FALSE(block.reaches_elsewhere);
}

TEST(Accesses, NumbersAmongArgumentsAreKeptAndPointersAreNot) {
  model::AccessTrace trace = traced("bytes_of_blocks.cu");
  const model::TracedLaunch& launch = trace.ranks.at(0).at(0).launch;
  EXPECT_EQ(launch.numbers, (std::vector<model::TracedNumber>{{1, 0, 2}, {2, 0, 64}, {2, 4, 32}}));
  ASSERT_EQ(launch.pointers.size(), 2u);
  EXPECT_EQ(launch.pointers[1].field, 8u);
}

TEST(Accesses, AVariableOfTheProgramIsElsewhere) {
  model::AccessTrace trace = traced("bytes_of_blocks.cu");
  EXPECT_TRUE(trace.ranks.at(0).at(1).launch.blocks.at(0).reaches_elsewhere);
}

TEST(Accesses, SendsAndReceivesHaveTheirPlaces) {
  model::AccessTrace trace = traced("bytes_of_blocks.cu");
  const model::TracedCall& send = trace.ranks.at(0).at(2).call;
  const model::TracedCall& receive = trace.ranks.at(1).at(2).call;
  uint32_t in = trace.ranks[0][0].launch.blocks.at(0).footprints.at(0).buffer;
  EXPECT_EQ(send, (model::TracedCall{model::Collective::Send, 256, 1, 0, 2, {true, in + 1, 256}, {}, 4}));
  EXPECT_EQ(receive, (model::TracedCall{model::Collective::Recv, 256, 0, 1, 2, {}, {true, in, 0}, 4}));
}

TEST(Accesses, BuffersHaveTheirSizeAndOrigin) {
  model::AccessTrace trace = traced("bytes_of_blocks.cu");
  uint32_t in = trace.ranks.at(0).at(0).launch.blocks.at(0).footprints.at(0).buffer;
  const model::TracedBuffer& buffer = trace.buffers.at(0).at(in);
  EXPECT_EQ(buffer.bytes, 1024u);
  EXPECT_TRUE(buffer.origin.starts_with("cudaMalloc at ")) << buffer.origin;
}

}  // namespace
}  // namespace cuco
