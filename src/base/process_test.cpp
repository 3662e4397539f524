#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>

#include "testing/scratch_folder.h"

namespace cuco {
namespace {

constexpr int kLongMs = 20'000;

Result<ProcessOutput> run_shell(const std::string& script, int timeout_ms = kLongMs) {
  return RealProcessRunner().run({"sh", "-c", script}, timeout_ms);
}

TEST(Process, GivesOutputErrorsAndExitCode) {
  Result<ProcessOutput> run = run_shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->text, "out\nerr\n");
  EXPECT_EQ(run->exit_code, 3);
}

TEST(Process, InputIsWhatWasGiven) {
  std::string input(300'000, 'x');
  Result<ProcessOutput> run = RealProcessRunner().run({"wc", "-c"}, 10'000, input);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->text, "300000\n");
  EXPECT_FALSE(RealProcessRunner().run({"cat"}, 10'000, std::string(2 << 20, 'x')).ok());
}

TEST(Process, InputIsEmpty) { EXPECT_EQ(run_shell("cat | wc -c")->text, "0\n"); }

TEST(Process, OutputLargerThanAPipeArrivesWhole) {
  EXPECT_EQ(run_shell("head -c 1000000 /dev/zero")->text.size(), 1'000'000u);
}

TEST(Process, DeathBySignalIs128PlusItsNumber) { EXPECT_EQ(run_shell("kill -9 $$")->exit_code, 137); }

TEST(Process, UnknownProgramIsAnError) {
  EXPECT_EQ(RealProcessRunner().run({"cuco-no-such-program"}, kLongMs).error().message,
            "cuco-no-such-program: No such file or directory");
}

// Both would run for a minute if they were waited for.
class Endless : public ::testing::TestWithParam<const char*> {};

TEST_P(Endless, IsKilledAtTheTimeout) {
  auto begin = std::chrono::steady_clock::now();
  Result<ProcessOutput> run = run_shell(GetParam(), 200);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "sh: no end after 200 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

INSTANTIATE_TEST_SUITE_P(Process, Endless,
                         ::testing::Values("sleep 60", "sleep 60 & sleep 60", "exec >/dev/null 2>&1; sleep 60"));

Result<ProcessOutput> run_limited(const ProcessLimits& limits, const std::string& script) {
  return RealProcessRunner(limits).run({"sh", "-c", script}, kLongMs);
}

TEST(ProcessLimits, ScrubbedEnvironmentHasNothingOfOurs) {
  ProcessLimits limits;
  limits.scrub_environment = true;
  setenv("CUCO_TEST_KEY", "secret", 1);
  EXPECT_EQ(run_limited(limits, "echo \"[$CUCO_TEST_KEY]\"")->text, "[]\n");
  EXPECT_EQ(run_shell("echo \"[$CUCO_TEST_KEY]\"")->text, "[secret]\n");
  unsetenv("CUCO_TEST_KEY");
}

TEST(ProcessLimits, FilesAndProcessorTimeEnd) {
  testing::ScratchFolder folder;
  ProcessLimits limits;
  limits.file_bytes = 1 << 20;
  limits.processor_s = 1;
  EXPECT_NE(run_limited(limits, "head -c 2m /dev/zero > " + (folder.path() / "file").string())->exit_code, 0);
  EXPECT_EQ(run_limited(limits, "while true; do :; done")->exit_code, 128 + SIGKILL);
}

TEST(ProcessLimits, InheritedBytesCanBeRead) {
  ProcessLimits limits;
  limits.inherited = "handed over";
  EXPECT_EQ(run_limited(limits, "cat <&9")->text, "handed over");
}

TEST(ProcessLimits, ProcessesAreCountedTogether) {
  ProcessLimits limits;
  limits.process_count = 5;
  EXPECT_EQ(run_limited(limits, "for i in 1 2 3 4 5 6 7; do sleep 60 & done; wait").error().message,
            "sh: more than 5 processes");
}

TEST(Process, OutputWithoutEndIsCutNotKept) {
  Result<ProcessOutput> run = run_shell("head -c 40m /dev/zero");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->text.size(), 16u << 20);
}

}  // namespace
}  // namespace cuco
