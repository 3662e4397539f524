// What a run leaves behind, and what is done with it afterwards.
#include "tests/optimize/command.h"

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

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
  expect_says(optimize("run"), 0, concat(folder("run").string(), "/best/: baseline.cu ("));
  EXPECT_NE(text_of(folder("run") / "best.plan").find("verified under 16 schedules"), std::string::npos);
  EXPECT_NE(text_of(folder("run") / "report.html").find("What was tried"), std::string::npos);
  expect_says(concat("cd ", folder("run").string(), " && sha256sum -c best.sha256"), 0, "best/baseline.cu: OK");
  expect_says(concat("cuco diff ", folder("run").string(), " --stat"), 0, "baseline.cu: ");
}

// What follows the words in the head of best.plan.
std::string command_in(const std::string& plan, const std::string& words) {
  size_t at = plan.find(words), begin = at == plan.npos ? plan.size() : at + words.size();
  return plan.substr(begin, plan.find('\n', begin) - begin);
}

TEST_F(CommandTest, BestIsBuiltAndJudgedAgainByTheCommandsThatItNames) {
  ProcessOutput summary = shell(optimize("run", "--json") + " 2>/dev/null");
  ASSERT_EQ(summary.exit_code, 0) << summary.text;
  std::string plan = text_of(folder("run") / "best.plan");
  ProcessOutput judged = shell(command_in(plan, "# To judge it again: ") + " --json");
  ASSERT_EQ(judged.exit_code, 0) << judged.text;
  using Json = nlohmann::json;
  EXPECT_EQ(Json::parse(judged.text)["timing"]["median_us"], Json::parse(summary.text)["best"]["time_us"]);
  std::string build = command_in(plan, "# To build it: ");
  EXPECT_EQ(build, Json::parse(summary.text)["build"].get<std::string>());
  if (shell("command -v nvcc mpicxx >/dev/null").exit_code != 0) GTEST_SKIP() << "there is no nvcc or no MPI";
  ProcessOutput built = shell(concat(build, " -c -o ", folder("best.o").string(), " 2>&1"));
  EXPECT_EQ(built.exit_code, 0) << built.text;
}

// The line of an output that begins with the word, without it.
std::string line_of(const std::string& output, const std::string& word) {
  for (const std::string& line : split(output, '\n'))
    if (line.starts_with(word + " ")) return std::string(trim(std::string_view(line).substr(word.size())));
  return "";
}

TEST_F(CommandTest, TransformWritesAFolderThatIsJudgedAgainByTheCommandThatItNames) {
  std::string out = folder("device").string(), how = " -n 2 --no-nvcc -D OWN_FLAG=1";
  std::string transform = concat("cuco transform tests/rewrite/two_relays.cu", how, " --seeds 1 -o ", out);
  ProcessOutput output = shell(transform + " 2>&1");
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_EQ(line_of(output.text, "build"), concat("nvcc -std=c++17 -arch=sm_80 -ccbin mpicxx -I ", out,
                                                  " -D OWN_FLAG=1 ", out, "/two_relays.cu -o two_relays -lnccl"));
  EXPECT_EQ(text_of(folder("device/support.h")), text_of(fs::path(CUCO_SOURCE_DIR) / "tests/rewrite/support.h"));
  std::string judge = line_of(output.text, "judge");
  expect_says(judge, 0, "passed");
  expect_says(concat("cd ", scratch.path().string(), " && sha256sum --quiet -c device.sha256"), 0, "");
  ASSERT_TRUE(write_file(folder("device/support.h"), "// By hand.\n").ok());
  expect_says(judge, 1, "rejected: build");  // A rewriting may change headers: this one is judged, too.
  expect_says(replace_all(judge, " --rewritten", ""), 2, "device/support.h: differs from ");
  expect_says(transform, 2, "device/support.h: cuco did not write this, or it was changed since");
}

TEST_F(CommandTest, BestThatSomebodyChangedIsNotWrittenOver) {
  ASSERT_EQ(shell(optimize("run") + " >/dev/null 2>&1").exit_code, 0);
  std::string resume = concat("cuco resume ", folder("run").string());
  expect_says(resume, 0, "best #");
  fs::path file = folder("run") / "best/baseline.cu";
  std::string mine = text_of(file) + "// Mine.\n";
  ASSERT_TRUE(write_file(file, mine).ok());
  expect_says(resume, 2, concat(file.string(), ": cuco did not write this, or it was changed since"));
  EXPECT_EQ(text_of(file), mine);
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
