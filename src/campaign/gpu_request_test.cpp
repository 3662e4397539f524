#include "campaign/gpu_request.h"

#include <gtest/gtest.h>

namespace cuco::campaign {
namespace {

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
}  // namespace cuco::campaign
