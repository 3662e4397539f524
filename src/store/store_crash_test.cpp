// Processes that write steps are killed at random instants. Whatever the instant: the store holds whole steps, the log
// holds what they cost, and going on gives the bytes of a run that nobody killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/sha256.h"
#include "store/log.h"
#include "store/run_folder.h"
#include "store/store.h"
#include "testing/scratch_folder.h"
#include "testing/store_steps.h"

namespace cuco::store {
namespace {

namespace fs = std::filesystem;
using cuco::testing::make_campaign;
using cuco::testing::make_step;

constexpr uint64_t kSeed = 11;
constexpr uint64_t kStepCount = 40;
constexpr int kKillCount = 100;
constexpr uint64_t kDelayUsMax = 60'000;

Store open_or_create(const RunFolder& run) {
  bool there = is_run(run.path());
  return there ? Store::open(run.store_file()).value() : Store::create(run.store_file(), make_campaign()).value();
}

// As a search does it: first what was paid for into the log, then the step.
void work(const fs::path& folder, useconds_t pause_us = 0) {
  RunFolder run = is_run(folder) ? RunFolder::open(folder, "test").value() : RunFolder::create(folder, "test").value();
  Store store = open_or_create(run);
  Log log = Log::open(run.log_file()).value();
  for (uint64_t number = *store.last_step() + 1; number <= kStepCount; ++number) {
    std::string key = std::to_string(number);
    if (!log.find("verdict", key)) log.append("verdict", key, std::string(500, 'v')).value();
    store.commit(make_step(number, kSeed)).value();
    usleep(pause_us);
  }
}

// Whether it was killed before its end.
bool work_until_killed(const fs::path& folder, uint64_t delay_us) {
  pid_t process = fork();
  if (process == 0) {
    work(folder);
    _exit(0);
  }
  usleep(static_cast<useconds_t>(delay_us));
  kill(process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

void expect_whole_steps(const fs::path& folder) {
  if (!is_run(folder)) return;
  std::vector<Step> steps = Store::open(store_file_of(folder))->steps().value();
  for (size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(steps[i], make_step(i + 1, kSeed));
  bool logged = fs::exists(log_file_of(folder));
  size_t entries = logged ? Log::open_read_only(log_file_of(folder))->entry_count() : 0;
  EXPECT_TRUE(entries == steps.size() || entries == steps.size() + 1) << entries << " for " << steps.size();
}

std::string canonical_digest(const fs::path& folder) {
  fs::path copy = folder / "canonical";
  Store::open_read_only(store_file_of(folder))->write_canonical(copy).value();
  return sha256(*read_file(copy));
}

TEST(StoreCrash, AHundredKillsLeaveWholeStepsAndTheSameEnd) {
  cuco::testing::ScratchFolder scratch;
  work(scratch.path() / "straight");
  std::string expected = canonical_digest(scratch.path() / "straight");
  Random random(kSeed);
  fs::path folder = scratch.path() / "killed";
  int finished = 0;
  for (int kills = 0; kills < kKillCount;) {
    bool killed = work_until_killed(folder, random.below(kDelayUsMax));
    kills += killed;
    expect_whole_steps(folder);
    if (::testing::Test::HasFailure()) FAIL() << "after " << kills << " kills";
    if (killed) continue;
    EXPECT_EQ(canonical_digest(folder), expected);
    fs::remove_all(folder);
    ++finished;
  }
  work(folder);
  EXPECT_EQ(canonical_digest(folder), expected);
  RecordProperty("finished", finished);
}

TEST(StoreCrash, ReadersSeeWholeStepsOfAnotherProcessAtWork) {
  cuco::testing::ScratchFolder scratch;
  fs::path folder = scratch.path() / "run";
  pid_t process = fork();
  if (process == 0) {
    work(folder, 5000);
    _exit(0);
  }
  int status = 0;
  uint64_t seen = 0, looks = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (!is_run(folder)) continue;
    std::vector<Step> steps = Store::open_read_only(store_file_of(folder))->steps().value();
    EXPECT_GE(steps.size(), seen);
    for (size_t i = seen; i < steps.size(); ++i) EXPECT_EQ(steps[i], make_step(i + 1, kSeed));
    looks += steps.size() > seen;
    seen = steps.size();
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_GT(looks, 1u);
}

}  // namespace
}  // namespace cuco::store
