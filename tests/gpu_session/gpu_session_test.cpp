// On a real GPU: several ranks share it, hang, are killed, and run again. Times are printed, for docs/gpus.md.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <thread>

#include "base/text.h"
#include "gpu/nccl_library.h"
#include "gpu/session/session.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

constexpr int kRunMsMax = 60'000;
constexpr int kHangMsMax = 10'000;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class GpuSession : public ::testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override {
    SessionRequest request;
    request.rank_count = GetParam();
    Clock::time_point begin = Clock::now();
    Result<Session> opened = Session::open(request, processes_, environment_);
    if (!opened) GTEST_SKIP() << opened.error().message;
    report("opening", begin);
    session_.emplace(std::move(*opened));
    build();
  }

  // Once for all tests.
  void build() {
    if (fs::exists(program())) return;
    std::optional<fs::path> nvcc = environment_.find_program("nvcc");
    if (!nvcc) GTEST_SKIP() << "nvcc is not on PATH";
    NcclLibrary nccl = find_nccl_library({}, processes_, environment_).value();
    Result<ProcessOutput> built =
        processes_.run({nvcc->string(), "-std=c++17", "-arch=" + session_->devices()[0].architecture,
                        std::string(CUCO_SOURCE_DIR) + "/tests/gpu_session/ranks.cu", "-I",
                        (nccl.folder.parent_path() / "include").string(), "-L", nccl.folder.string(), "-lnccl", "-o",
                        program().string()},
                       kRunMsMax * 2);
    ASSERT_TRUE(built.ok()) << built.error().message;
    ASSERT_EQ(built->exit_code, 0) << built->text;
  }

  void report(const char* what, Clock::time_point begin) const {
    std::cout << GetParam() << " ranks: " << what << " took " << seconds_since(begin) << " s\n";
  }

  static fs::path program() {
    static const cuco::testing::ScratchFolder scratch;
    return scratch.path() / "ranks";
  }
  fs::path folder() const { return scratch_.path() / "run"; }

  Result<ProcessOutput> run(const char* mode, int limit_ms) {
    fs::remove_all(folder());
    fs::create_directory(folder());
    return processes_.run(session_->launch_command({program().string(), mode, folder().string()}, {}), limit_ms);
  }

  void expect_work() {
    Result<ProcessOutput> worked = run("work", kRunMsMax);
    ASSERT_TRUE(worked.ok()) << worked.error().message;
    EXPECT_EQ(worked->exit_code, 0) << worked->text;
    std::cout << worked->text;
  }

  void wait_until_all_hang() const {
    for (uint32_t rank = 0; rank < GetParam(); ++rank)
      for (int i = 0; i < 1000 && !fs::exists(folder() / concat("hangs", rank)); ++i) usleep(10'000);
    usleep(300'000);  // A rank says so before its kernel runs.
  }

  pid_t process_of(uint32_t rank) const {
    pid_t process = 0;
    std::ifstream(folder() / concat("process", rank)) >> process;
    return process;
  }

  void recover() {
    Clock::time_point begin = Clock::now();
    Status recovered = session_->recover();
    ASSERT_TRUE(recovered.ok()) << recovered.error().message;
    report("recovery", begin);
    for (uint32_t rank = 0; rank < GetParam(); ++rank) {
      std::ifstream left(concat("/proc/", process_of(rank), "/environ"));
      std::string text;
      EXPECT_FALSE(std::getline(left, text)) << "rank " << rank << " lives on";
    }
  }

  RealProcessRunner processes_;
  RealEnvironment environment_;
  cuco::testing::ScratchFolder scratch_;
  std::optional<Session> session_;
};

TEST_P(GpuSession, RanksShareTheGpu) {
  expect_work();
  Clock::time_point begin = Clock::now();
  session_.reset();
  report("closing", begin);
}

TEST_P(GpuSession, RankThatIsKilledInAnEndlessKernelIsRecoveredFrom) {
  Clock::time_point killed;
  std::thread killer([&] {
    usleep(500'000);
    wait_until_all_hang();
    killed = Clock::now();
    if (pid_t process = process_of(0); process > 0) kill(process, SIGKILL);
  });
  (void)run("wait", kRunMsMax);
  killer.join();
  report("the end of all after one was killed", killed);
  recover();
  expect_work();
}

TEST_P(GpuSession, RanksThatOutliveTheirLauncherAreRecoveredFrom) {
  EXPECT_FALSE(run("spin", kHangMsMax).ok());
  recover();
  expect_work();
}

INSTANTIATE_TEST_SUITE_P(Ranks, GpuSession, ::testing::Values(2u, 4u));

}  // namespace
}  // namespace cuco::gpu
