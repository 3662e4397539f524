// What a store says when its file, its folder or its disk is not as it should be; and that it stays as it was.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "store/database.h"
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

class StoreDamage : public ::testing::Test {
 protected:
  void make_store(uint64_t steps) {
    Store store = Store::create(file_, make_campaign()).value();
    for (uint64_t number = 1; number <= steps; ++number) store.commit(make_step(number, 1)).value();
  }
  void overwrite(size_t offset, const std::string& bytes) {
    std::fstream out(file_, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(offset));
    out << bytes;
  }
  // Both ways of opening give messages with this behind the file, and the file stays as it is.
  void expect_refusal(const std::string& reason) {
    std::string before = *read_file(file_);
    for (auto* open : {&Store::open, &Store::open_read_only}) {
      Result<Store> store = (*open)(file_);
      ASSERT_FALSE(store.ok());
      EXPECT_EQ(store.error().message, concat(file_.string(), ": ", reason));
    }
    EXPECT_EQ(*read_file(file_), before);
  }

  cuco::testing::ScratchFolder folder_;
  fs::path file_ = folder_.path() / "campaign.sqlite";
};

TEST_F(StoreDamage, AMissingFileIsNamed) {
  EXPECT_EQ(Store::open(file_).error().message, concat(file_.string(), ": no such file"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(StoreDamage, AnotherFileIsNoStore) {
  std::ofstream(file_) << std::string(5000, 'x');
  expect_refusal("is not a store of cuco: it is no database, or its first page is damaged");
}

TEST_F(StoreDamage, AnEmptyFileIsNoStore) {
  std::ofstream{file_};
  expect_refusal("is not a store of cuco");
}

TEST_F(StoreDamage, AFolderIsNoStore) {
  fs::create_directory(file_);
  EXPECT_FALSE(Store::open(file_).ok());
  EXPECT_FALSE(Store::open_read_only(file_).ok());
}

TEST_F(StoreDamage, ALaterVersionIsRefused) {
  make_store(2);
  Database::open(file_, Access::Write)->run_script("PRAGMA user_version = 99").value();
  expect_refusal("was written by a later cuco (version 99 of the store; this one reads up to 2); use that one");
}

// No text is long enough here for a page of its own; such a page has no structure that could be seen to be wrong.
TEST_F(StoreDamage, EveryTornPageIsFoundBeforeWriting) {
  make_store(12);
  std::string whole = *read_file(file_);
  constexpr size_t kPageBytes = 4096;
  size_t found = 0, pages = whole.size() / kPageBytes;
  for (size_t page = 1; page < pages; ++page) {
    overwrite(page * kPageBytes, std::string(kPageBytes / 2, '\xa5'));
    std::string torn = *read_file(file_);
    Result<Store> store = Store::open(file_);
    bool refused = !store && store.error().message.starts_with(concat(file_.string(), ": is damaged: "));
    EXPECT_TRUE(!refused || *read_file(file_) == torn) << page;
    found += refused;
    store = Error{};
    ASSERT_TRUE(write_file(file_, whole).ok());
  }
  EXPECT_GT(pages, 12u);
  EXPECT_EQ(found, pages - 1);
}

TEST_F(StoreDamage, ATruncatedFileIsFoundBeforeWriting) {
  make_store(12);
  fs::resize_file(file_, fs::file_size(file_) / 2);
  Result<Store> store = Store::open(file_);
  ASSERT_FALSE(store.ok());
  EXPECT_TRUE(store.error().message.starts_with(concat(file_.string(), ": is damaged: "))) << store.error().message;
}

TEST_F(StoreDamage, RowsThatReferToNothingAreAnError) {
  make_store(3);
  Database::open(file_, Access::Write)->run_script("UPDATE candidate SET step = 77 WHERE id = 2").value();
  EXPECT_EQ(Store::open_read_only(file_)->steps().error().message,
            concat(file_.string(), ": is damaged: rows refer to steps or candidates that are not there"));
}

// Runs in a process without the rights of root, to whom nothing is read-only.
template <typename Action>
int exit_code_without_rights(Action action) {
  pid_t process = fork();
  if (process == 0) {
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) _exit(99);
    _exit(action() ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST_F(StoreDamage, AReadOnlyFolderCanBeReadButNotWritten) {
  make_store(3);
  fs::permissions(file_, fs::perms(0444));
  fs::permissions(folder_.path(), fs::perms(0555));
  int reading = exit_code_without_rights([&] { return Store::open_read_only(file_)->steps()->size() == 3; });
  int writing = exit_code_without_rights([&] {
    Result<Store> store = Store::open(file_);
    return !store &&
           store.error().message == concat(file_.string(), ": cannot be written: it, or its folder, is read-only");
  });
  int making = exit_code_without_rights([&] {
    Result<Store> store = Store::create(folder_.path() / "other", make_campaign());
    return !store && store.error().message.ends_with(": cannot be made: Permission denied");
  });
  int locking = exit_code_without_rights([&] { return !RunFolder::open(folder_.path(), "cuco resume").ok(); });
  fs::permissions(folder_.path(), fs::perms(0755));
  EXPECT_EQ(reading, 0);
  EXPECT_EQ(writing, 0);
  EXPECT_EQ(making, 0);
  EXPECT_EQ(locking, 0);
}

// Files cannot grow beyond a size while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_ = {};
  void (*handler_)(int);
};

TEST_F(StoreDamage, AStepThatFindsNoRoomIsNotThereAtAll) {
  Store store = Store::create(file_, make_campaign()).value();
  store.commit(make_step(1, 1)).value();
  {
    FileSizeLimit limit(200'000);
    Status status = store.commit(make_step(2, 1, 20'000));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message,
              concat(file_.string(), ": cannot be written: an error of the disk, or a limit on the size of files"));
    EXPECT_EQ(store.steps().value(), std::vector<Step>{make_step(1, 1)});
  }
  EXPECT_TRUE(store.commit(make_step(2, 1)).ok());
  EXPECT_EQ(Store::open_read_only(file_)->last_step().value(), 2u);
}

TEST_F(StoreDamage, ALineThatFindsNoRoomIsNotInTheLog) {
  fs::path file = folder_.path() / "log.jsonl";
  Log log = Log::open(file).value();
  log.append("verdict", "a", "1").value();
  {
    FileSizeLimit limit(20'000);
    EXPECT_EQ(log.append("verdict", "b", std::string(50'000, 'x')).error().message,
              concat(file.string(), ": cannot be written: File too large"));
    EXPECT_EQ(log.find("verdict", "b"), std::nullopt);
  }
  log.append("verdict", "c", "3").value();
  EXPECT_EQ(Log::open_read_only(file)->entry_count(), 2u);
  EXPECT_EQ(Log::open_read_only(file)->find("verdict", "c"), "3");
}

// A disk of its own, small enough to fill.
class TinyDisk {
 public:
  explicit TinyDisk(const fs::path& place) : place_(place) {
    fs::create_directory(place);
    mounted_ = mount("tmpfs", place.c_str(), "tmpfs", 0, "size=512k") == 0;
  }
  ~TinyDisk() {
    if (mounted_) umount(place_.c_str());
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path place_;
  bool mounted_;
};

TEST_F(StoreDamage, AFullDiskIsNamedAndLeavesWholeSteps) {
  fs::path place = folder_.path() / "disk";
  TinyDisk disk(place);
  if (!disk.mounted()) GTEST_SKIP() << "no small disk can be mounted here: " << std::strerror(errno);
  uint64_t written = 0;
  std::string message;
  {
    Store store = Store::create(place / "campaign.sqlite", make_campaign()).value();
    for (Status status = Done{}; status; written += status.ok()) {
      status = store.commit(make_step(written + 1, 1, 400));
      if (!status) message = status.error().message;
    }
    EXPECT_EQ(store.last_step().value(), written);
  }
  EXPECT_EQ(message, concat((place / "campaign.sqlite").string(), ": cannot be written: the disk is full"));
  EXPECT_GT(written, 1u);
  EXPECT_EQ(Store::open_read_only(place / "campaign.sqlite")->last_step().value(), written);
  EXPECT_FALSE(Store::create(place / "other.sqlite", make_campaign()).ok());
}

}  // namespace
}  // namespace cuco::store
