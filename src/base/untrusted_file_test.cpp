#include "base/untrusted_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testing/scratch_folder.h"

namespace cuco {
namespace {

class UntrustedFileTest : public ::testing::Test {
 protected:
  std::string error_of(const std::filesystem::path& path) const { return read_untrusted_file(path).error().message; }

  testing::ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_.path() / "left";
};

TEST_F(UntrustedFileTest, PlainFileIsReadWhole) {
  std::string content(200'000, 'x');
  ASSERT_TRUE(write_file(path_, content).ok());
  EXPECT_EQ(*read_untrusted_file(path_, content.size()), content);
}

TEST_F(UntrustedFileTest, PipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(error_of(path_), path_.string() + ": is not a plain file");
}

TEST_F(UntrustedFileTest, LinkIsRefusedWhateverItLeadsTo) {
  std::filesystem::create_symlink("/dev/zero", path_);
  EXPECT_EQ(error_of(path_), path_.string() + ": is not a plain file that can be read");
  ASSERT_TRUE(write_file(scratch_.path() / "secret", "s").ok());
  std::filesystem::create_symlink("secret", scratch_.path() / "link");
  EXPECT_FALSE(read_untrusted_file(scratch_.path() / "link").ok());
}

TEST_F(UntrustedFileTest, FileBeyondItsBoundIsRefused) {
  ASSERT_TRUE(write_file(path_, "").ok());
  std::filesystem::resize_file(path_, (2u << 20) + 1);
  EXPECT_EQ(read_untrusted_file(path_, 2u << 20).error().message, path_.string() + ": is larger than 2 MiB");
}

TEST_F(UntrustedFileTest, FolderDeviceAndMissingFileAreRefused) {
  EXPECT_EQ(error_of(scratch_.path()), scratch_.path().string() + ": is not a plain file");
  EXPECT_EQ(error_of("/dev/null"), "/dev/null: is not a plain file");
  EXPECT_EQ(error_of(path_), path_.string() + ": no such file");
}

}  // namespace
}  // namespace cuco
