#include "base/own_files.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

class OwnFiles : public ::testing::Test {
 protected:
  fs::path place(const std::string& name) const { return scratch_.path() / name; }
  fs::path list() const { return place("best.sha256"); }
  Status write(const std::map<std::string, std::string>& texts) const { return write_own_files(list(), texts); }
  std::string text(const std::string& name) const {
    Result<std::string> text = read_file(place(name));
    return text ? *text : text.error().message;
  }
  void expect_refused(const Status& status, const std::string& name) const {
    ASSERT_FALSE(status.ok());
    EXPECT_TRUE(status.error().message.starts_with(place(name).string() + ": cuco did not write this"))
        << status.error().message;
  }

  testing::ScratchFolder scratch_;
};

TEST_F(OwnFiles, AreWrittenAndWrittenOver) {
  ASSERT_TRUE(write({{"best/a.cu", "one"}, {"best/cuco/comm.cuh", "two"}}).ok());
  ASSERT_TRUE(write({{"best/a.cu", "other"}, {"best/cuco/comm.cuh", "two"}}).ok());
  EXPECT_EQ(text("best/a.cu"), "other");
  EXPECT_EQ(split(text("best.sha256"), '\n').size(), 3u) << text("best.sha256");
}

TEST_F(OwnFiles, LeaveWhatOthersWroteAlone) {
  fs::create_directories(place("best"));
  ASSERT_TRUE(write_file(place("best/b.cu"), "mine").ok());
  expect_refused(write({{"best/a.cu", "one"}, {"best/b.cu", "two"}}), "best/b.cu");
  EXPECT_EQ(text("best/b.cu"), "mine");
  EXPECT_FALSE(fs::exists(place("best/a.cu")));
  EXPECT_FALSE(fs::exists(list()));
  EXPECT_TRUE(write({{"best/a.cu", "one"}}).ok());
}

TEST_F(OwnFiles, LeaveWhatOthersChangedAlone) {
  ASSERT_TRUE(write({{"best/a.cu", "one"}}).ok());
  ASSERT_TRUE(write_file(place("best/a.cu"), "one, by hand").ok());
  expect_refused(write({{"best/a.cu", "two"}}), "best/a.cu");
  expect_refused(check_own_files(list(), {"best/a.cu"}), "best/a.cu");
  EXPECT_EQ(text("best/a.cu"), "one, by hand");
}

TEST_F(OwnFiles, DoNotGoThroughLinksAndFolders) {
  ASSERT_TRUE(write({{"best/a.cu", "one"}}).ok());
  fs::rename(place("best/a.cu"), place("elsewhere.cu"));
  fs::create_symlink(place("elsewhere.cu"), place("best/a.cu"));
  expect_refused(write({{"best/a.cu", "two"}}), "best/a.cu");
  fs::create_directories(place("best/b.cu"));
  expect_refused(write({{"best/b.cu", "two"}}), "best/b.cu");
}

TEST_F(OwnFiles, ThatAreNotWrittenAgainGo) {
  ASSERT_TRUE(write({{"best/a.cu", "one"}, {"best/cuco/comm/old.cuh", "old"}, {"best/kept.h", "kept"}}).ok());
  ASSERT_TRUE(write_file(place("best/kept.h"), "changed").ok());
  ASSERT_TRUE(write({{"best/a.cu", "one"}}).ok());
  EXPECT_FALSE(fs::exists(place("best/cuco")));
  EXPECT_EQ(text("best/kept.h"), "changed");
}

// As a process leaves them that is killed between the list and the file.
TEST_F(OwnFiles, AreKnownAfterAKill) {
  ASSERT_TRUE(write({{"best/a.cu", "one"}}).ok());
  std::string before = text("best.sha256");
  ASSERT_TRUE(write({{"best/a.cu", "two"}}).ok());
  ASSERT_TRUE(write_file(list(), before + text("best.sha256")).ok());
  EXPECT_TRUE(check_own_files(list(), {"best/a.cu"}).ok());
  ASSERT_TRUE(write_file(place("best/a.cu"), "one").ok());
  EXPECT_TRUE(write({{"best/a.cu", "three"}}).ok());
  EXPECT_EQ(text("best/a.cu"), "three");
}

TEST_F(OwnFiles, NeedAListThatIsOne) {
  ASSERT_TRUE(write_file(list(), "my notes\n").ok());
  Status status = write({{"best/a.cu", "one"}});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("is no list of files that cuco wrote"), std::string::npos);
  EXPECT_EQ(text("best.sha256"), "my notes\n");
}

}  // namespace
}  // namespace cuco
