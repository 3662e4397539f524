#include "cli/gpu_input.h"

#include <gtest/gtest.h>

namespace cuco::cli {
namespace {

constexpr const char* kWorkload = R"(
summary = "s"
profile = "a100x4-nvlink"
ranks = 2
[config.big]
purpose = "verify"
parameters = { n = 4096 }
[config.small]
purpose = "verify"
parameters = { n = 64 }
[config.full]
purpose = "full"
parameters = { n = 1000000 }
[config.other-full]
purpose = "full"
parameters = { n = 2000000 }
[config.full-twin]
purpose = "twin"
twin_of = "full"
parameters = { n = 128 }
scale = { compute = 8, memory = 8, link = 8, multiprocessors = 1 }
)";

std::string checked_with(const std::string& chosen, const std::string& wished = "") {
  evaluate::Workload workload = evaluate::parse_workload("w", kWorkload).value();
  Result<evaluate::Configuration> check =
      check_configuration(workload, evaluate::find_configuration(workload, chosen).value(), wished);
  return check ? check->name : check.error().message;
}

TEST(CheckConfiguration, FullSizeIsVerifiedByItsTwinElseByTheSmallest) {
  EXPECT_EQ(checked_with("full"), "full-twin");
  EXPECT_EQ(checked_with("other-full"), "small");
}

TEST(CheckConfiguration, OtherSizesVerifyThemselves) {
  EXPECT_EQ(checked_with("big"), "big");
  EXPECT_EQ(checked_with("full-twin"), "full-twin");
}

TEST(CheckConfiguration, WishComesFirstAndMustExist) {
  EXPECT_EQ(checked_with("full", "big"), "big");
  EXPECT_TRUE(checked_with("full", "bigger").starts_with("bigger: no such configuration"));
}

TEST(Executors, AreKnownByName) {
  EvaluationOptions options;
  EXPECT_FALSE(*runs_on_gpus(options));
  for (const char* executor : {"mpi", "one-gpu"}) {
    options.executor = executor;
    EXPECT_TRUE(*runs_on_gpus(options)) << executor;
  }
  options.executor = "gpu";
  EXPECT_EQ(runs_on_gpus(options).error().message, "cuco evaluate: error: --on gpu: it is vcluster, mpi or one-gpu");
}

}  // namespace
}  // namespace cuco::cli
