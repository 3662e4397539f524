#include "store/log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::store {
namespace {

namespace fs = std::filesystem;

class LogTest : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(file_, std::ios::app | std::ios::binary) << text; }

  cuco::testing::ScratchFolder folder_;
  fs::path file_ = folder_.path() / "log.jsonl";
};

TEST_F(LogTest, FindsWhatWasAppendedByKindAndKey) {
  Log log = Log::open(file_).value();
  ASSERT_TRUE(log.append("verdict", "k1", "{\"a\": 1}\n").ok());
  ASSERT_TRUE(log.append("reply", "k1", "text").ok());
  EXPECT_EQ(log.find("verdict", "k1"), "{\"a\": 1}\n");
  EXPECT_EQ(log.find("reply", "k1"), "text");
  EXPECT_EQ(log.find("reply", "k2"), std::nullopt);
  EXPECT_EQ(log.entry_count(), 2u);
}

TEST_F(LogTest, FindsItAgainWhenOpenedAgain) {
  std::string bytes("\0\n\"\xff\xc3", 5);
  {
    Log log = Log::open(file_).value();
    ASSERT_TRUE(log.append("verdict", "text", "gr\u00fc\u00df").ok());
    ASSERT_TRUE(log.append("verdict", "bytes", bytes).ok());
    ASSERT_TRUE(log.append("verdict", "empty", "").ok());
  }
  Log log = Log::open_read_only(file_).value();
  EXPECT_EQ(log.find("verdict", "text"), "gr\u00fc\u00df");
  EXPECT_EQ(log.find("verdict", "bytes"), bytes);
  EXPECT_EQ(log.find("verdict", "empty"), "");
}

TEST_F(LogTest, TheLastOfAKeyCounts) {
  Log log = Log::open(file_).value();
  ASSERT_TRUE(log.append("reply", "k", "first").ok());
  ASSERT_TRUE(log.append("reply", "k", "second").ok());
  EXPECT_EQ(log.find("reply", "k"), "second");
  EXPECT_EQ(Log::open_read_only(file_)->find("reply", "k"), "second");
}

TEST_F(LogTest, DropsATornLastLineAndGoesOnBehindTheOthers) {
  ASSERT_TRUE(Log::open(file_)->append("verdict", "whole", "1").ok());
  std::string whole = *read_file(file_);
  for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    EXPECT_EQ(Log::open_read_only(file_)->entry_count(), 1u);
    Log log = Log::open(file_).value();
    EXPECT_EQ(*read_file(file_), whole) << bytes;
  }
  write("garbage\n");
  Log log = Log::open(file_).value();
  ASSERT_TRUE(log.append("verdict", "next", "2").ok());
  EXPECT_EQ(Log::open_read_only(file_)->find("verdict", "next"), "2");
  EXPECT_EQ(Log::open_read_only(file_)->entry_count(), 2u);
}

TEST_F(LogTest, NamesADamagedLineThatIsNotTheLastAndChangesNothing) {
  ASSERT_TRUE(Log::open(file_)->append("verdict", "a", "1").ok());
  write("{\"kind\": \"verdict\"}\n{\"kind\": \"reply\", \"key\": \"c\", \"content\": \"3\"}\n");
  std::string before = *read_file(file_);
  EXPECT_EQ(Log::open(file_).error().message,
            concat(file_.string(), ":2: is damaged: expected an object with kind, key and content"));
  EXPECT_EQ(*read_file(file_), before);
}

TEST_F(LogTest, ReadsLinesLongerThanItsBuffer) {
  std::string large(5u << 20, 'x');
  {
    Log log = Log::open(file_).value();
    ASSERT_TRUE(log.append("reply", "large", large).ok());
    ASSERT_TRUE(log.append("reply", "small", "y").ok());
  }
  Log log = Log::open_read_only(file_).value();
  EXPECT_EQ(log.find("reply", "large"), large);
  EXPECT_EQ(log.find("reply", "small"), "y");
}

TEST_F(LogTest, TakesLinesOfSeveralThreads) {
  Log log = Log::open(file_).value();
  auto append = [&log](const std::string& kind) {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(log.append(kind, std::to_string(i), kind).ok());
  };
  std::thread other(append, "reply");
  append("verdict");
  other.join();
  EXPECT_EQ(Log::open_read_only(file_)->entry_count(), 40u);
}

TEST_F(LogTest, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(Log::open_read_only(file_).error().message,
            concat(file_.string(), ": cannot be opened: No such file or directory"));
  EXPECT_EQ(Log::open(folder_.path()).error().message,
            concat(folder_.path().string(), ": cannot be opened: Is a directory"));
}

}  // namespace
}  // namespace cuco::store
