#include "evolve/plan_writer.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"

namespace cuco::evolve {
namespace {

evaluate::EvaluationRequest request_for(const std::string& file, uint32_t nodes, const std::string& profile) {
  evaluate::EvaluationRequest request;
  Result<std::string> text = read_file(std::filesystem::path(CUCO_SOURCE_DIR) / file);
  EXPECT_TRUE(text.ok());
  request.baseline = {{"program.cu", *text}};
  request.tools.share = CUCO_SOURCE_DIR;
  request.flags.include_folders = {std::filesystem::path(CUCO_SOURCE_DIR) / "device"};
  request.configuration.profile = profile;
  request.configuration.rank_count = 2;
  request.configuration.node_count = nodes;
  return request;
}

constexpr const char* kProgram = "tests/cheats/baseline.cu";

TEST(PlanWriter, FastPathsFollowTheTopology) {
  Result<PlanWriter> inside = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  ASSERT_TRUE(inside.ok()) << inside.error().message;
  std::vector<store::Candidate> candidates = inside->fast_paths();
  ASSERT_FALSE(candidates.empty());
  EXPECT_EQ(candidates[0].intent, "The simplest device-initiated form, through lsa.");
  Result<PlanWriter> between = PlanWriter::read(request_for(kProgram, 2, "a100-2node-roce"));
  ASSERT_TRUE(between.ok()) << between.error().message;
  EXPECT_EQ(between->fast_paths().at(0).intent, "The simplest device-initiated form, through gin.");
}

TEST(PlanWriter, TextAndPlacesDoNotDependOnWhereItWasRead) {
  Result<PlanWriter> first = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  Result<PlanWriter> second = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->fast_paths().at(0).files, second->fast_paths().at(0).files);
  EXPECT_TRUE(first->sites().at(0).location.starts_with("program.cu:")) << first->sites().at(0).location;
  EXPECT_EQ(first->analysis(), second->analysis());
}

TEST(PlanWriter, BlocksOfTheProgramAreNotNested) {
  Result<PlanWriter> writer = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  SourceFile file{"program.cu", writer->fast_paths().at(0).files.at(0).text};
  Result<std::vector<evaluate::EvolveBlock>> blocks = evaluate::find_blocks(file, evaluate::lex(file.text));
  EXPECT_TRUE(blocks.ok()) << blocks.error().message;
}

TEST(PlanWriter, PlanOfWhatItWroteIsSeenInTheCode) {
  Result<PlanWriter> writer = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  Result<space::Plan> inferred = writer->infer(writer->fast_paths().at(0).files);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  EXPECT_EQ(inferred->choices, writer->fast_path_plan().choices);
}

TEST(PlanWriter, WhatCannotBeReadIsSaidWithItsPlace) {
  evaluate::EvaluationRequest request = request_for(kProgram, 1, "a100x4-nvlink");
  request.baseline[0].text = "int main() { return x; }\n";
  Result<PlanWriter> writer = PlanWriter::read(request);
  ASSERT_FALSE(writer.ok());
  EXPECT_TRUE(writer.error().message.starts_with("program.cu:1:21: error:")) << writer.error().message;
}

// Its communicators come from code that cannot be seen, which no rule converts.
constexpr const char* kUnseen = R"(
#include <cuda_runtime.h>
#include <nccl.h>
ncclComm_t* made_elsewhere();
__global__ void work(float* data) { data[threadIdx.x] *= 2; }
void step(float** data, ncclComm_t* comms, cudaStream_t* streams) {
  for (int i = 0; i < 2; i++) work<<<1, 32, 0, streams[i]>>>(data[i]);
  ncclGroupStart();
  for (int i = 0; i < 2; i++) ncclAllReduce(data[i], data[i], 32, ncclFloat, ncclSum, comms[i], streams[i]);
  ncclGroupEnd();
}
int main() {
  ncclComm_t* comms = made_elsewhere();
  cudaStream_t streams[2];
  float* data[2];
  for (int i = 0; i < 2; i++) {
    cudaSetDevice(i);
    cudaStreamCreate(&streams[i]);
    cudaMalloc(&data[i], 128);
  }
  step(data, comms, streams);
  float out[32];
  cudaMemcpy(out, data[0], 128, cudaMemcpyDeviceToHost);
}
)";

TEST(PlanWriter, MarksAProgramThatNoRuleConverts) {
  evaluate::EvaluationRequest request = request_for(kProgram, 1, "a100x4-nvlink");
  request.baseline[0].text = kUnseen;
  Result<PlanWriter> writer = PlanWriter::read(request);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(writer->fast_paths().empty());
  ASSERT_EQ(writer->marked().size(), 1u);
  SourceFile file{"program.cu", writer->marked()[0].files.at(0).text};
  EXPECT_EQ(evaluate::normalised(file.text), evaluate::normalised(kUnseen));
  Result<std::vector<evaluate::EvolveBlock>> blocks = evaluate::find_blocks(file, evaluate::lex(file.text));
  ASSERT_TRUE(blocks.ok()) << blocks.error().message;
  EXPECT_EQ(blocks->size(), 1u) << "the kernel and the function that launches it, side by side";
}

TEST(PlanWriter, ProgramThatIsMarkedStaysAsItIs) {
  Result<PlanWriter> writer = PlanWriter::read(request_for(kProgram, 1, "a100x4-nvlink"));
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(writer->marked().empty());
}

TEST(PlanWriter, ProgramWithoutCommunicationHasNoFastPath) {
  evaluate::EvaluationRequest request = request_for(kProgram, 1, "a100x4-nvlink");
  request.baseline[0].text = "int main() { return 0; }\n";
  Result<PlanWriter> writer = PlanWriter::read(request);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_TRUE(writer->fast_paths().empty());
  EXPECT_EQ(writer->reasons_against_fast_paths(), "the program has no communication; there is nothing to convert");
}

}  // namespace
}  // namespace cuco::evolve
