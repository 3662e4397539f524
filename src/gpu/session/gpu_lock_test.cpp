#include "gpu/session/gpu_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

// A process of its own that holds the lock of a GPU until it is killed.
class Holder {
 public:
  Holder(const fs::path& folder, const std::string& uuid, uid_t user = geteuid()) {
    int ready[2];
    if (pipe(ready) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      if (setuid(user) != 0) _exit(2);
      Result<FileLock> lock = lock_gpu(folder, uuid, {0, nullptr});
      (void)!write(ready[1], lock ? "y" : "n", 1);
      while (lock) pause();
      _exit(1);
    }
    char said = 'n';
    (void)!read(ready[0], &said, 1);
    holds_ = said == 'y';
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() { end(); }

  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  bool holds() const { return holds_; }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
  bool holds_ = false;
};

class GpuLockTest : public ::testing::Test {
 protected:
  fs::path folder() const { return scratch_.path() / "gpu"; }
  cuco::testing::ScratchFolder scratch_;
};

TEST_F(GpuLockTest, HolderInAnotherProcessIsNamedWithCommandAndTime) {
  Holder holder(folder(), "GPU-a");
  ASSERT_TRUE(holder.holds());
  Result<FileLock> lock = lock_gpu(folder(), "GPU-a", {0, nullptr});
  ASSERT_FALSE(lock.ok());
  std::string begin = concat("GPU GPU-a is in use by process ", holder.process(), " since 2");
  EXPECT_TRUE(lock.error().message.starts_with(begin)) << lock.error().message;
  EXPECT_NE(lock.error().message.find("cuco_gpu_tests"), std::string::npos) << lock.error().message;
}

TEST_F(GpuLockTest, AnotherGpuIsFree) {
  Holder holder(folder(), "GPU-a");
  EXPECT_TRUE(lock_gpu(folder(), "GPU-b", {0, nullptr}).ok());
}

TEST_F(GpuLockTest, HolderThatIsKilledFreesIt) {
  Holder holder(folder(), "GPU-a");
  ASSERT_TRUE(holder.holds());
  holder.end();
  EXPECT_TRUE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
}

TEST_F(GpuLockTest, WaitIsReportedOnceAndEndsWithTheHolder) {
  Holder holder(folder(), "GPU-a");
  std::vector<std::string> reports;
  LockWait wait{20, [&](const std::string& sentence) {
                  reports.push_back(sentence);
                  kill(holder.process(), SIGKILL);
                }};
  EXPECT_TRUE(lock_gpu(folder(), "GPU-a", wait).ok());
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].starts_with(concat("waiting for GPU GPU-a, in use by process ", holder.process())));
}

TEST_F(GpuLockTest, TwoOfOneProcessExcludeEachOther) {
  Result<FileLock> first = lock_gpu(folder(), "GPU-a", {0, nullptr});
  EXPECT_FALSE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
  first = Error{"gone"};
  EXPECT_TRUE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
}

TEST_F(GpuLockTest, ProgramsThatTheHolderStartedDoNotHoldIt) {
  RealProcessRunner processes;
  {
    Result<FileLock> lock = lock_gpu(folder(), "GPU-a", {0, nullptr});
    ASSERT_TRUE(processes.run({"sh", "-c", "sleep 3 >/dev/null 2>&1 &"}, 10'000).ok());
  }
  EXPECT_TRUE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
}

TEST_F(GpuLockTest, FolderAndFileAreForEverybody) {
  mode_t before = umask(077);
  Result<FileLock> lock = lock_gpu(folder(), "GPU-a", {0, nullptr});
  umask(before);
  ASSERT_TRUE(lock.ok());
  struct stat found = {};
  ASSERT_EQ(stat(folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 01777u);
  ASSERT_EQ(stat((folder() / "GPU-a.lock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666u);
}

// Linux can forbid opening what somebody else made in a folder for everybody (fs.protected_regular).
TEST_F(GpuLockTest, IsTheSameForAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  fs::permissions(scratch_.path(), fs::perms::all);
  ASSERT_TRUE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
  Holder stranger(folder(), "GPU-a", kNobody);
  ASSERT_TRUE(stranger.holds());
  EXPECT_FALSE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
}

TEST_F(GpuLockTest, LinkInPlaceOfTheFolderIsRefused) {
  fs::create_directory_symlink("/tmp", folder());
  EXPECT_EQ(lock_gpu(folder(), "GPU-a", {0, nullptr}).error().message,
            folder().string() + ": is no folder; GPU locks belong there");
}

TEST_F(GpuLockTest, AllOrNone) {
  Holder holder(folder(), "GPU-b");
  EXPECT_FALSE(lock_gpus(folder(), {"GPU-b", "GPU-a"}, {0, nullptr}).ok());
  EXPECT_TRUE(lock_gpu(folder(), "GPU-a", {0, nullptr}).ok());
}

}  // namespace
}  // namespace cuco::gpu
