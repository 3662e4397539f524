#include "store/run_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::store {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public ::testing::Test {
 protected:
  void make_run(const std::string& name) {
    fs::create_directories(folder_.path() / name);
    std::ofstream(store_file_of(folder_.path() / name)) << "x";
  }

  cuco::testing::ScratchFolder folder_;
  fs::path run_ = folder_.path() / "runs" / "a";
};

// A process that holds a lock until it is killed.
class Holder {
 public:
  explicit Holder(const fs::path& run) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    process_ = fork();
    if (process_ == 0) hold(run, ready[1]);
    char sign = 0;
    EXPECT_EQ(read(ready[0], &sign, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() { kill_now(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void kill_now() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  int process() const { return process_; }

 private:
  [[noreturn]] static void hold(const fs::path& run, int ready) {
    Result<RunFolder> folder = RunFolder::create(run, "cuco optimize program.cu");
    (void)!write(ready, "x", 1);
    pause();
    _exit(folder.ok() ? 0 : 1);
  }
  int process_;
};

TEST_F(RunFolderTest, IsMadeWithTheFoldersAboveIt) {
  RunFolder run = RunFolder::create(run_, "cuco optimize").value();
  EXPECT_EQ(run.path(), run_);
  EXPECT_EQ(run.store_file(), run_ / "campaign.sqlite");
  EXPECT_EQ(run.log_file(), run_ / "log.jsonl");
}

TEST_F(RunFolderTest, ASecondProcessIsToldWhoIsThere) {
  Holder holder(run_);
  std::string expected =
      concat("run folder ", run_.string(), " is in use by process ", holder.process(), " (cuco optimize program.cu)");
  EXPECT_EQ(RunFolder::create(run_, "cuco optimize").error().message, expected);
  make_run("runs/a");
  EXPECT_EQ(RunFolder::open(run_, "cuco resume").error().message, expected);
  ASSERT_TRUE(lock_holder(run_));
  EXPECT_EQ(lock_holder(run_)->process, holder.process());
  EXPECT_EQ(lock_holder(run_)->command, "cuco optimize program.cu");
}

TEST_F(RunFolderTest, IsFreeWhenItsProcessIsKilled) {
  Holder holder(run_);
  holder.kill_now();
  EXPECT_FALSE(lock_holder(run_));
  make_run("runs/a");
  EXPECT_TRUE(RunFolder::open(run_, "cuco resume").ok());
}

TEST_F(RunFolderTest, IsFreeWhenTheObjectIsGone) {
  { RunFolder run = RunFolder::create(run_, "cuco optimize").value(); }
  EXPECT_FALSE(lock_holder(run_));
  RunFolder run = RunFolder::create(run_, "cuco optimize").value();
  EXPECT_TRUE(lock_holder(run_));
}

TEST_F(RunFolderTest, LookingAtTheLockKeepsNobodyOut) {
  { RunFolder run = RunFolder::create(run_, "cuco optimize").value(); }
  EXPECT_FALSE(lock_holder(run_));
  EXPECT_TRUE(RunFolder::create(run_, "cuco optimize").ok());
}

TEST_F(RunFolderTest, ARunIsNotBegunTwice) {
  make_run("runs/a");
  EXPECT_EQ(RunFolder::create(run_, "cuco optimize").error().message, concat(run_.string(), ": holds a run already"));
}

TEST_F(RunFolderTest, SaysWhenThereIsNoRun) {
  fs::create_directories(run_);
  EXPECT_EQ(RunFolder::open(run_, "cuco resume").error().message,
            concat(run_.string(), ": holds no run: there is no campaign.sqlite in it"));
  EXPECT_EQ(RunFolder::open_for_rebuild(run_, "cuco replay").error().message,
            concat(run_.string(), ": holds no run: there is no log.jsonl in it"));
}

TEST_F(RunFolderTest, SaysWhenItCannotBeMade) {
  std::ofstream(folder_.path() / "file") << "x";
  fs::path inside = folder_.path() / "file" / "run";
  EXPECT_EQ(RunFolder::create(inside, "cuco optimize").error().message,
            concat(inside.string(), ": cannot be made: Not a directory"));
}

TEST_F(RunFolderTest, ListsFoldersWithRunsByName) {
  make_run("b");
  make_run("a");
  fs::create_directories(folder_.path() / "empty");
  std::vector<fs::path> expected = {folder_.path() / "a", folder_.path() / "b"};
  EXPECT_EQ(list_runs(folder_.path()), expected);
  EXPECT_TRUE(list_runs(folder_.path() / "nowhere").empty());
}

}  // namespace
}  // namespace cuco::store
