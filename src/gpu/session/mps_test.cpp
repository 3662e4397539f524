#include "gpu/session/mps.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>

#include "base/text.h"
#include "gpu/session/mps_processes.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"
#include "testing/stand_in_mps.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

class MpsTest : public ::testing::Test {
 protected:
  MpsRequest request() const { return {folder(), "GPU-a", 8'000}; }
  fs::path folder() const { return scratch_.path() / "s"; }
  Result<Mps> start() { return Mps::start(request(), processes_); }

  // Daemon and server, once both are there; a shell between fork and exec of its `sleep` has their name as well.
  static std::vector<pid_t> processes_of(const Mps& mps) {
    std::vector<pid_t> found;
    for (int i = 0; i < 200 && found.size() < 2; ++i) {
      found = mps_processes_of(mps_daemon_of(mps.pipe_folder()));
      usleep(10'000);
    }
    return found;
  }

  size_t homes() const {
    return static_cast<size_t>(std::count_if(fs::directory_iterator(folder()), fs::directory_iterator(),
                                             [](const fs::directory_entry& each) { return each.is_directory(); }));
  }

  // In a process of its own, which then ends as it is told to; gives what `act` wrote.
  std::vector<pid_t> in_child(const std::function<std::vector<pid_t>()>& act, int end_signal) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    pid_t child = fork();
    if (child == 0) {
      std::vector<pid_t> found = act();
      (void)!write(ends[1], found.data(), found.size() * sizeof(pid_t));
      if (end_signal != 0) kill(getpid(), end_signal);
      _exit(0);
    }
    close(ends[1]);
    waitpid(child, nullptr, 0);
    std::vector<pid_t> found(16);
    ssize_t bytes = read(ends[0], found.data(), found.size() * sizeof(pid_t));
    close(ends[0]);
    found.resize(bytes > 0 ? static_cast<size_t>(bytes) / sizeof(pid_t) : 0);
    return found;
  }

  cuco::testing::ScratchFolder scratch_;
  cuco::testing::StandInMps stand_in_;
  RealProcessRunner processes_;
};

TEST_F(MpsTest, EndsWithTheObjectAndLeavesNothing) {
  std::vector<pid_t> running;
  {
    Result<Mps> mps = start();
    ASSERT_TRUE(mps.ok()) << mps.error().message;
    running = processes_of(*mps);
    ASSERT_GE(running.size(), 2u);
    EXPECT_TRUE(any_mps_runs(running));
    EXPECT_EQ(homes(), 1u);
  }
  EXPECT_FALSE(any_mps_runs(running));
  EXPECT_EQ(homes(), 0u);
}

TEST_F(MpsTest, DaemonThatIgnoresQuitIsKilledWithItsServer) {
  stand_in_.become(cuco::testing::StandInMps::kStubborn);
  Result<Mps> mps = start();
  ASSERT_TRUE(mps.ok()) << mps.error().message;
  std::vector<pid_t> running = processes_of(*mps);
  ASSERT_GE(running.size(), 2u);
  ASSERT_TRUE(mps->restart().ok());
  EXPECT_FALSE(any_mps_runs(running));
  EXPECT_GE(processes_of(*mps).size(), 2u);
}

TEST_F(MpsTest, RestartKeepsThePipeFolder) {
  Result<Mps> mps = start();
  ASSERT_TRUE(mps.ok()) << mps.error().message;
  fs::path pipes = mps->pipe_folder();
  pid_t daemon = processes_of(*mps).at(0);
  ASSERT_TRUE(mps->restart().ok());
  EXPECT_EQ(mps->pipe_folder(), pipes);
  EXPECT_NE(processes_of(*mps).at(0), daemon);
}

TEST_F(MpsTest, DaemonOfAKilledOwnerIsStoppedByTheNext) {
  std::optional<Mps> orphan;
  auto own = [&] { return processes_of(orphan.emplace(std::move(*start()))); };
  std::vector<pid_t> stale = in_child(own, SIGKILL);
  ASSERT_GE(stale.size(), 2u);
  EXPECT_TRUE(any_mps_runs(stale));
  Result<Mps> mps = start();
  ASSERT_TRUE(mps.ok()) << mps.error().message;
  EXPECT_FALSE(any_mps_runs(stale));
  EXPECT_EQ(homes(), 1u);
}

TEST_F(MpsTest, DaemonOfALivingOwnerIsLeftAlone) {
  Result<Mps> first = start(), second = start();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->pipe_folder(), second->pipe_folder());
  EXPECT_TRUE(any_mps_runs(processes_of(*first)));
  EXPECT_EQ(homes(), 2u);
}

// After Ctrl-C no process can be started, not even the one that says `quit`.
TEST_F(MpsTest, InterruptedOwnerLeavesNothing) {
  auto own_and_stop = [&] {
    Result<Mps> mps = start();
    std::vector<pid_t> running = processes_of(*mps);
    interrupt_processes();
    return running;
  };
  std::vector<pid_t> running = in_child(own_and_stop, 0);
  ASSERT_GE(running.size(), 2u);
  EXPECT_FALSE(any_mps_runs(running));
  EXPECT_EQ(homes(), 0u);
}

TEST_F(MpsTest, DaemonThatDoesNotStartIsAnErrorWithItsWords) {
  stand_in_.become(cuco::testing::StandInMps::kRefusing);
  EXPECT_EQ(start().error().message,
            "MPS does not start (nvidia-cuda-mps-control -d, exit code 1): An instance of this daemon is already "
            "running");
  EXPECT_EQ(homes(), 0u);
}

TEST_F(MpsTest, DaemonThatNeverAnswersIsAnError) {
  cuco::testing::FakeProcessRunner silent;
  silent.respond = [](const std::string& line) {
    return ProcessOutput{line.find("get_server_list") == std::string::npos ? 0 : 1, ""};
  };
  EXPECT_EQ(Mps::start({folder(), "GPU-a", 200}, silent).error().message,
            "MPS does not start (nvidia-cuda-mps-control -d, exit code 0)");
  EXPECT_GE(silent.count_of("get_server_list"), 2u);
}

TEST_F(MpsTest, IsToldItsFoldersAndItsGpu) {
  cuco::testing::FakeProcessRunner processes;
  processes.respond = [](const std::string&) { return ProcessOutput{}; };
  Result<Mps> mps = Mps::start(request(), processes);
  ASSERT_TRUE(mps.ok());
  std::string folders = concat("env CUDA_MPS_PIPE_DIRECTORY=", mps->pipe_folder().string(),
                               " CUDA_MPS_LOG_DIRECTORY=", mps->log_folder().string());
  EXPECT_TRUE(processes.calls.at(0).starts_with(folders + " CUDA_VISIBLE_DEVICES=GPU-a sh -c")) << processes.calls[0];
}

TEST_F(MpsTest, FolderTooLongForSocketsIsRefused) {
  MpsRequest request = {scratch_.path() / std::string(90, 'x'), "GPU-a"};
  std::string message = Mps::start(request, processes_).error().message;
  EXPECT_NE(message.find("too long for the sockets of MPS, whose paths have 107 bytes at most"), std::string::npos);
}

TEST_F(MpsTest, ForeignDaemonIsFoundByItsPipeFolder) {
  Result<Mps> mps = start();
  ASSERT_TRUE(mps.ok()) << mps.error().message;
  EXPECT_EQ(foreign_mps(mps->pipe_folder()), processes_of(*mps).at(0));
}

TEST_F(MpsTest, NumberOfAnotherProgramIsNoDaemon) {
  std::ofstream(scratch_.path() / "nvidia-cuda-mps-control.pid") << getpid();
  EXPECT_EQ(mps_daemon_of(scratch_.path()), 0);
}

}  // namespace
}  // namespace cuco::gpu
