#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
  EXPECT_EQ(run_shell("head -c 1000000 /dev/zero | tr '\\000' x")->text.size(), 1'000'000u);
}

TEST(Process, OutputHoldsNothingThatATerminalObeys) {
  EXPECT_EQ(run_shell("printf '\\033[2Jgr\\303\\274n\\n'")->text, "\\x1b[2Jgrün\n");
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
  Result<ProcessOutput> run = run_shell("head -c 40m /dev/zero | tr '\\000' x");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->text.size(), 16u << 20);
}

TEST(ProcessLimits, DeletedFilesThatAreOpenCount) {
  testing::ScratchFolder scratch;
  ProcessLimits limits;
  limits.folder = scratch.path();
  limits.folder_bytes = 8u << 20;
  std::string in_folder = "cd '" + scratch.path().string() + "' && ";
  Result<ProcessOutput> run =
      run_limited(limits, in_folder + "exec 3>a; rm a; head -c 20000000 /dev/zero >&3; sleep 60");
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "sh: more than 8 MiB of files written");
  EXPECT_TRUE(run_limited(limits, in_folder + "exec 3>a; rm a; echo little >&3; sleep 0.1").ok());
}

TEST(ProcessLimits, SharedMemoryThatLibrariesKeepIsNoWrittenFile) {
  testing::ScratchFolder scratch;
  ProcessLimits limits;
  limits.folder = scratch.path();
  limits.folder_bytes = 8u << 20;
  std::string shared = "f=$(mktemp -p /dev/shm) && exec 3>$f; rm $f; head -c 20000000 /dev/zero >&3; sleep 0.2";
  EXPECT_TRUE(run_limited(limits, shared).ok());
}

TEST(ProcessLimits, EmptyFilesAreNotWithoutNumber) {
  testing::ScratchFolder scratch;
  ProcessLimits limits;
  limits.folder = scratch.path();
  limits.folder_bytes = 64 << 10;
  Result<ProcessOutput> run =
      run_limited(limits, "cd '" + scratch.path().string() + "' && for i in $(seq 100); do : > $i; done; sleep 60");
  ASSERT_FALSE(run.ok());
}

// The inner shell is the program; the outer one stands for cuco and is killed.
TEST(Process, ProgramEndsHoweverItsParentEnds) {
  testing::ScratchFolder scratch;
  std::filesystem::path lock = scratch.path() / "lock";
  pid_t parent = fork();
  if (parent == 0) {
    (void)!RealProcessRunner().run({"flock", "--no-fork", lock.string(), "sleep", "60"}, 60'000);
    _exit(0);
  }
  while (run_shell("flock -n '" + lock.string() + "' true")->exit_code == 0) usleep(10'000);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(run_shell("flock -w 5 '" + lock.string() + "' true")->exit_code, 0) << "the program still holds the lock";
}

}  // namespace
}  // namespace cuco
