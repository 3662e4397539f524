// What a run leaves behind, and what is done with it afterwards.
#include "tests/optimize/command.h"

#include <fstream>
#include <functional>

namespace cuco {
namespace {

namespace fs = std::filesystem;

class CommandTest : public OptimizeTest {
 protected:
  void expect_says(const std::string& command, int exit_code, const std::string& text) const {
    ProcessOutput output = shell(command + " 2>&1");
    EXPECT_EQ(output.exit_code, exit_code) << output.text;
    EXPECT_NE(output.text.find(text), output.text.npos) << output.text;
  }
  std::string text_of(const fs::path& file) const {
    Result<std::string> text = read_file(file);
    return text ? *text : text.error().message;
  }
};

TEST_F(CommandTest, LeavesABestProgramThatIsVerifiedAndFaster) {
  expect_says(optimize("run"), 0, "best #");
  std::string best = text_of(folder("run") / "best.cu");
  EXPECT_NE(best.find("// Plan:"), best.npos);
  EXPECT_NE(best.find("verified under 16 schedules"), best.npos);
  EXPECT_NE(text_of(folder("run") / "report.html").find("What was tried"), std::string::npos);
  expect_says(concat("cuco evaluate ", kProgram, " --seeds 2 --rewritten --candidate ", folder("run") / "best.cu"), 0,
              "passed");
}

TEST_F(CommandTest, ReplayIsEqualUntilTheStoreIsChanged) {
  ASSERT_EQ(shell(optimize("run") + " >/dev/null 2>&1").exit_code, 0);
  std::string replay = concat("cuco replay ", folder("run").string());
  expect_says(replay, 0, "equal, byte for byte");
  std::string before = canonical_digest(folder("run"));
  fs::remove(folder("run") / "campaign.sqlite");
  expect_says(replay, 0, "campaign.sqlite was lost; made again from the log");
  EXPECT_EQ(canonical_digest(folder("run")), before);
  std::string log = replace_all(text_of(folder("run") / "log.jsonl"), "median_us", "middle_us");
  ASSERT_TRUE(write_file(folder("run") / "log.jsonl", log).ok());
  expect_says(replay, 1, "differs: step 1: ");
}

TEST_F(CommandTest, InterruptKeepsWhatThereIs) {
  std::string script = concat(prelude(), "exec ", optimize("run", "--cache " + folder("cold").string()));
  pid_t process = fork();
  if (process == 0) {
    execlp("sh", "sh", "-c", (script + " >/dev/null 2>" + folder("errors").string()).c_str(), nullptr);
    _exit(127);
  }
  while (!fs::exists(folder("run") / "campaign.sqlite") && kill(process, 0) == 0) usleep(20'000);
  usleep(500'000);
  kill(process, SIGINT);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NE(text_of(folder("errors")).find("nothing is lost: cuco resume " + folder("run").string()), std::string::npos)
      << text_of(folder("errors"));
  expect_says(concat("cuco resume ", folder("run").string()), 0, "best #");
}

void add_descendants(pid_t process, std::vector<pid_t>& all) {
  std::ifstream children(concat("/proc/", process, "/task/", process, "/children"));
  for (pid_t child; children >> child;) {
    all.push_back(child);
    add_descendants(child, all);
  }
}

bool comes_true(const std::function<bool()>& condition, int ms) {
  for (; ms > 0; ms -= 20) {
    if (condition()) return true;
    usleep(20'000);
  }
  return false;
}

// Once while it is built, once while it hangs.
TEST_F(CommandTest, TerminationEndsEverythingAtOnce) {
  std::string hanging = replace_all(text_of(fs::path(CUCO_SOURCE_DIR) / "tests/cheats/baseline.cu"), "  scale<<<",
                                    "  for (volatile long i = 0;; i = i + 1) {\n  }\n  scale<<<");
  ASSERT_TRUE(write_file(folder("hanging.cu"), hanging).ok());
  for (int after_ms : {500, 6000}) {
    std::string script = concat(prelude(), "exec cuco evaluate ", kProgram, " --no-cache --candidate ",
                                folder("hanging.cu").string(), " >/dev/null 2>&1");
    pid_t process = fork();
    if (process == 0) {
      execlp("sh", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    usleep(static_cast<useconds_t>(after_ms) * 1000);
    std::vector<pid_t> descendants;
    add_descendants(process, descendants);
    EXPECT_FALSE(descendants.empty());
    kill(process, SIGTERM);
    int status = 0;
    EXPECT_TRUE(comes_true([&] { return waitpid(process, &status, WNOHANG) == process; }, 5000));
    EXPECT_EQ(WEXITSTATUS(status), 2);
    for (pid_t each : descendants) EXPECT_TRUE(comes_true([&] { return kill(each, 0) != 0; }, 2000)) << each;
  }
}

TEST_F(CommandTest, RunsAreNotMixedUp) {
  ASSERT_EQ(shell(optimize("run") + " >/dev/null 2>&1").exit_code, 0);
  std::string before = canonical_digest(folder("run"));
  expect_says(optimize("run"), 2, "holds a run already; cuco resume");
  Result<store::RunFolder> held = store::RunFolder::open(folder("run"), "a test");
  ASSERT_TRUE(held.ok());
  expect_says(concat("cuco resume ", folder("run").string()), 2,
              concat("is in use by process ", getpid(), " (a test)"));
  EXPECT_EQ(canonical_digest(folder("run")), before);
}

TEST_F(CommandTest, StoreOfANewerVersionIsRefusedAndLeftAlone) {
  ASSERT_EQ(shell(optimize("run") + " >/dev/null 2>&1").exit_code, 0);
  fs::path file = folder("run") / "campaign.sqlite";
  std::string bytes = text_of(file);
  constexpr size_t kVersionPlace = 60;  // Of user_version in a database's head, high byte first.
  bytes[kVersionPlace + 2] = 7;
  ASSERT_TRUE(write_file(file, bytes).ok());
  expect_says(concat("cuco resume ", folder("run").string()), 2, "was written by a later cuco");
  EXPECT_EQ(text_of(file), bytes);
}

TEST_F(CommandTest, FullDiskEndsTheRunAndDamagesNothing) {
  fs::path disk = folder("disk");
  fs::create_directories(disk);
  std::string mount = concat("mount -t tmpfs -o size=160k none ", disk.string());
  if (shell(mount + " 2>/dev/null").exit_code != 0) GTEST_SKIP() << "no small disk can be mounted here";
  std::string at_disk = concat("cuco optimize ", kProgram, " --budget-evals 8 --out ", (disk / "run").string());
  ProcessOutput output = shell(at_disk + " 2>&1");
  EXPECT_EQ(output.exit_code, 2) << output.text;
  bool named = output.text.find("disk is full") != output.text.npos || output.text.find("No space") != output.text.npos;
  EXPECT_TRUE(named) << output.text;
  fs::path kept = folder("kept");
  if (fs::exists(disk / "run")) fs::copy(disk / "run", kept, fs::copy_options::recursive);
  EXPECT_EQ(shell(concat("umount ", disk.string())).exit_code, 0);
  if (fs::exists(kept)) expect_says(concat("cuco resume ", kept.string()), 0, "best #");
}

TEST_F(CommandTest, ModelProposesAndIsNotAskedAgain) {
  fs::path script = folder("answer.sh");
  std::string calls = folder("calls").string();
  std::string replies = concat(CUCO_SOURCE_DIR, "/tests/search_model/replies");
  ASSERT_TRUE(write_file(script, concat("echo x >> ", calls, " && cat '", replies, "'/$(wc -l < ", calls,
                                        " | tr -d ' ').txt\n"))
                  .ok());
  std::string run = folder("run").string();
  expect_says(concat("cuco optimize tests/search_model/halves.cu -n 2 --nodes 2 --profile a100-2node-roce --no-nvcc "
                     "--budget-evals 5 --islands 1 --proposers model --model 'command:sh ",
                     script.string(), "' --out ", run),
              0, "best #");
  std::string asked = text_of(calls);
  EXPECT_FALSE(asked.empty());
  expect_says(concat("cuco replay ", run), 0, "equal, byte for byte");
  expect_says(concat("cuco resume ", run), 0, "best #");
  EXPECT_EQ(text_of(calls), asked);
}

TEST_F(CommandTest, BaselineThatFailsLeavesNothing) {
  fs::path program = folder("broken.cu");
  std::string text = text_of(fs::path(CUCO_SOURCE_DIR) / "tests/cheats/baseline.cu");
  ASSERT_TRUE(write_file(program, replace_all(text, "gathered[(i + 1) % total]", "gathered[i + total]")).ok());
  ProcessOutput output =
      shell(concat("cuco optimize ", program.string(), " -n 2 --no-nvcc --out ", folder("run").string(), " 2>&1"));
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_NE(output.text.find("the baseline does not pass"), output.text.npos) << output.text;
  EXPECT_FALSE(fs::exists(folder("run")));
}

}  // namespace
}  // namespace cuco
