#include "evaluate/sizes/proof_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "programs.h"
#include "testing/share.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = CUCO_SOURCE_DIR;
const fs::path kHere = kTree / "tests/proof_sizes";

// Three sizes or more, all smaller than the case, no two the same.
void expect_sizes(const EvaluationRequest& request) {
  Result<std::vector<ProofSize>> sizes = find_proof_sizes(request);
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_GE(sizes->size(), 3u);
  for (size_t i = 0; i < sizes->size(); i++) {
    EXPECT_NE((*sizes)[i].shrunk, "");
    for (size_t k = 0; k < i; k++) EXPECT_FALSE((*sizes)[i] == (*sizes)[k]) << (*sizes)[i].shrunk;
  }
  EXPECT_TRUE(check_proof_sizes(request, *sizes));
}

struct FullSize {
  const char *workload, *configuration;
};

class WorkloadSizes : public testing::SharedOut<FullSize, 4> {};

TEST_P(WorkloadSizes, AreFoundWithTheKernelsOfTheFullSize) {
  expect_sizes(workload_request(kTree / "workloads" / GetParam().workload, GetParam().configuration));
}

INSTANTIATE_TEST_SUITE_P(, WorkloadSizes,
                         ::testing::Values(FullSize{"gemm_allgather", "mnk8192-fp32"},
                                           FullSize{"gemm_allgather", "mnk16384-tensor"},
                                           FullSize{"gemm_reduce_scatter", "m4096-n4096-k16384-tensor"},
                                           FullSize{"gemm_reduce_scatter", "m4096-n4096-k16384-fp32"},
                                           FullSize{"flash_cp", "seq8192-hd64-fp32"},
                                           FullSize{"flash_cp", "seq4096-hd128-tensor"}, FullSize{"moe", "3to1-tensor"},
                                           FullSize{"moe", "5to1-fp32"}, FullSize{"kv_transfer", "s3072-kv768-fp32"},
                                           FullSize{"kv_transfer", "s4096-kv1024-tensor"},
                                           FullSize{"allreduce_rmsnorm", "batch64-hidden8192-fp32"},
                                           FullSize{"allreduce_rmsnorm", "batch64-hidden8192-tensor"}));

TEST(ProofSizes, ArgumentsOfAStrangerAreShrunk) {
  fs::path program = kTree / "tests/strangers/gemm_allgather_files/main.cu";
  expect_sizes(plain_request(program, head_of(read_file(program).value(), "case")));
}

TEST(ProofSizes, TheCaseEndsBeforeTheProgramsOwnCheck) {
  expect_sizes(plain_request(kHere / "own_check.cu", "33554432"));
}

EvaluationRequest constants() {
  EvaluationRequest request = request_in(kHere, {"constants.cu"});
  request.plain = true;
  request.configuration.profile = "a100x4-nvlink";
  return request;
}

TEST(ProofSizes, ConstantsOfAHeaderAreShrunk) {
  EvaluationRequest request = constants();
  Result<std::vector<ProofSize>> sizes = find_proof_sizes(request);
  ASSERT_TRUE(sizes) << sizes.error().message;
  ASSERT_GE(sizes->size(), 3u);
  EXPECT_NE((*sizes)[0].shrunk.find("TOKENS="), std::string::npos) << (*sizes)[0].shrunk;
  EXPECT_TRUE((*sizes)[0].configuration.arguments.empty());
}

TEST(ProofSizes, ASizeChangesTheTextsOfBaselineAndCandidateAlike) {
  EvaluationRequest request = constants();
  request.candidate = request.baseline;
  request.candidate[0].text = "// A line more.\n" + request.candidate[0].text;
  Result<ProofSize> size = parse_proof_size("TOKENS=256 kTile=8", request);
  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(size->shrunk, "kTile=8, TOKENS=256 (of 16, 8192)");
  Result<EvaluationRequest> placed = at_proof_size(request, *size);
  ASSERT_TRUE(placed) << placed.error().message;
  for (const std::vector<SourceFile>* files : {&placed->baseline, &placed->candidate}) {
    ASSERT_EQ(files->size(), 2u);
    EXPECT_NE((*files)[0].text.find("constexpr int kTile = 8;"), std::string::npos);
    EXPECT_EQ((*files)[1].name, "sizes.h");
    EXPECT_NE((*files)[1].text.find("#define TOKENS 256\n"), std::string::npos);
  }
}

TEST(ProofSizes, ACandidateWithoutTheDeclarationHasNoSuchSize) {
  EvaluationRequest request = constants();
  Result<ProofSize> size = parse_proof_size("kTile=8", request);
  ASSERT_TRUE(size) << size.error().message;
  request.candidate = request.baseline;
  request.candidate[0].text = replace_all(request.candidate[0].text, "kTile = 16", "kTile = 32");
  Result<EvaluationRequest> placed = at_proof_size(request, *size);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().message, "constants.cu: has no 'constexpr int kTile = 16', which proof sizes change");
}

TEST(ProofSizes, AProgramWhoseSizeIsWrittenOutNamesTheLine) {
  EvaluationRequest request = request_in(kHere, {"fixed.cu"});
  request.plain = true;
  request.configuration.profile = "a100x4-nvlink";
  Result<std::vector<ProofSize>> sizes = find_proof_sizes(request);
  ASSERT_FALSE(sizes);
  EXPECT_TRUE(sizes.error().message.starts_with("fixed.cu:20: 16777216 is the largest number of the program."))
      << sizes.error().message;
}

EvaluationRequest exchange(std::vector<std::string> arguments) {
  EvaluationRequest request = request_in(kHere, {"exchange.cu"});
  request.plain = true;
  request.configuration.profile = "a100x4-nvlink";
  request.configuration.rank_count = 2;
  add_arguments(arguments, request.configuration);
  return request;
}

// 64 MiB each way.
TEST(ProofSizes, CommunicationAloneMakesACaseLarge) {
  EvaluationRequest request = exchange({"16777216"});
  EXPECT_TRUE(is_large(request));
  expect_sizes(request);
  EXPECT_FALSE(is_large(exchange({"65536"})));
}

TEST(ProofSizes, ACaseThatDoesNotFitInMemoryIsLarge) {
  EvaluationRequest request = exchange({"67108864"});
  request.limits.memory_bytes = uint64_t{256} << 20;
  EXPECT_TRUE(is_large(request));
  Result<std::vector<ProofSize>> sizes = find_proof_sizes(request);
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_GE(sizes->size(), 3u);
}

TEST(ProofSizes, ACaseOfWhichNothingSmallerRunsIsItsOwnProof) {
  Result<std::vector<ProofSize>> sizes = find_proof_sizes(exchange({"1048576", "only"}));
  ASSERT_TRUE(sizes) << sizes.error().message;
  ASSERT_EQ(sizes->size(), 1u);
  EXPECT_EQ((*sizes)[0].shrunk, "");
}

std::string refusal(const std::string& text) {
  Result<ProofSize> size = parse_proof_size(text, workload_request(kTree / "workloads/gemm_allgather", "mnk8192-fp32"));
  return size ? "" : size.error().message;
}

TEST(ProofSizes, AnOverrideThatCannotBeIsRefusedWithTheReason) {
  EXPECT_EQ(refusal("m=512, n=128 k=32"), "");
  EXPECT_EQ(refusal("m=512 rows=4"),
            "--proof: the program has no number rows; it has k=8192, m=8192, n=8192, tensor=0");
  EXPECT_EQ(refusal("m"), "--proof: m is no NAME=NUMBER with a number from 1 on");
  EXPECT_EQ(refusal("m=0"), "--proof: m=0 is no NAME=NUMBER with a number from 1 on");
  EXPECT_EQ(refusal("m=512 m=256"), "--proof: m is given as 512 and as 256");
  EXPECT_EQ(refusal("m=16384"), "--proof: m=16384 is larger than the case, which has 8192");
  EXPECT_EQ(refusal(" "), "--proof: names no number, as in \"HIDDEN=512 TOKENS=256\"");
}

TEST(ProofSizes, AnOverrideAtWhichTheOriginalIsWrongIsRefused) {
  EvaluationRequest request = workload_request(kTree / "workloads/gemm_allgather", "mnk2048-fp32");
  Result<ProofSize> good = parse_proof_size("m=512 n=128 k=32", request), odd = parse_proof_size("m=510", request),
                    thin = parse_proof_size("m=512 n=64 k=32", request);
  ASSERT_TRUE(good && odd && thin);
  EXPECT_TRUE(check_proof_sizes(request, {*good}));
  Status refused = check_proof_sizes(request, {*good, *odd});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("--proof: at m=510 (of 2048) the original"))
      << refused.error().message;
  Status narrow = check_proof_sizes(request, {*thin});
  ASSERT_FALSE(narrow);
  EXPECT_NE(narrow.error().message.find("has one block along x"), std::string::npos) << narrow.error().message;
}

TEST(ProofSizes, OthersAroundASizeAreFound) {
  EvaluationRequest request = workload_request(kTree / "workloads/gemm_allgather", "mnk2048-fp32");
  Result<ProofSize> size = parse_proof_size("m=512 n=128 k=32", request);
  ASSERT_TRUE(size);
  Result<std::vector<ProofSize>> around = variants_of(*size, request, 2);
  ASSERT_TRUE(around) << around.error().message;
  ASSERT_EQ(around->size(), 2u);
  EXPECT_FALSE((*around)[0] == *size);
  EXPECT_FALSE((*around)[0] == (*around)[1]);
}

}  // namespace
}  // namespace cuco::evaluate
