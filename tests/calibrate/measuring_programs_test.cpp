// The programs of device/calibrate compile with nvcc against the real headers of NCCL, where these are.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/environment.h"
#include "base/process.h"
#include "gpu/toolchain.h"

namespace cuco {
namespace {

class MeasuringProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(MeasuringProgram, Compiles) {
  RealProcessRunner processes;
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(processes, RealEnvironment());
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  std::filesystem::path program = std::filesystem::path(CUCO_SOURCE_DIR) / "device/calibrate" / GetParam();
  std::vector<std::string> command = {toolchain->nvcc.string(),
                                      "-std=c++17",
                                      "-O3",
                                      "-arch=sm_90",
                                      "-Werror=all-warnings",
                                      "-I" + toolchain->nccl_include.string()};
  command.insert(command.end(), toolchain->mpi_compile.begin(), toolchain->mpi_compile.end());
  command.insert(command.end(), {"-c", program.string(), "-o", "/dev/null"});
  Result<ProcessOutput> output = processes.run(command, 300'000);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->exit_code, 0) << output->text;
}

INSTANTIATE_TEST_SUITE_P(All, MeasuringProgram,
                         ::testing::Values("latencies.cu", "rates.cu", "products.cu", "links.cu", "collectives.cu"));

}  // namespace
}  // namespace cuco
