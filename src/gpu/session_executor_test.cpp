#include "gpu/session_executor.h"

#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

// One GPU, as nvidia-smi would list it, and an mpirun.
class SessionExecutorTest : public ::testing::Test {
 protected:
  SessionExecutorTest() {
    processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1\n"};
    processes.respond = [](const std::string& line) -> std::optional<ProcessOutput> {
      if (line.find("--query-gpu=index") != std::string::npos)
        return ProcessOutput{0, "0, GPU-a, NVIDIA H200, 9.0, 1024, 1, Default\n"};
      if (line.find("--query-compute-apps") != std::string::npos) return ProcessOutput{0, ""};
      return std::nullopt;
    };
    request.request.session.executor = Executor::Mpi;
    request.request.session.rank_count = 1;
    request.request.session.state_folder = scratch.path();
  }

  std::string message() {
    Result<std::unique_ptr<JobExecutor>> opened = open_executor(request, processes, environment);
    return opened ? "no error" : opened.error().message;
  }

  cuco::testing::ScratchFolder scratch;
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  ExecutorRequest request;
};

TEST_F(SessionExecutorTest, OpensOnTheGpuThatTimesAreOf) {
  EXPECT_EQ(message(), "no error");
  request.device = "NVIDIA H200";
  EXPECT_EQ(message(), "no error");
}

TEST_F(SessionExecutorTest, SeveralSearchesHaveTheGpuOpen) {
  Result<std::unique_ptr<JobExecutor>> first = open_executor(request, processes, environment);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(message(), "no error");
}

TEST_F(SessionExecutorTest, TimesOfAnotherGpuAreRefused) {
  request.device = "NVIDIA A100";
  EXPECT_EQ(message(),
            "the run was begun on NVIDIA A100; times of NVIDIA H200, which is here, cannot be compared with its times");
}

TEST_F(SessionExecutorTest, SaysThatThereIsNoGpu) {
  processes.respond = [](const std::string&) { return std::optional<ProcessOutput>(); };
  EXPECT_NE(message().find("nvidia-smi"), std::string::npos) << message();
}

}  // namespace
}  // namespace cuco::gpu
