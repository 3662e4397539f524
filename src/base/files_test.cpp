#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

TEST(Files, WhatIsWrittenIsRead) {
  testing::ScratchFolder scratch;
  std::string content("with\0zero and \n", 15);
  ASSERT_TRUE(write_file(scratch.path() / "a.txt", content).ok());
  EXPECT_EQ(*read_file(scratch.path() / "a.txt"), content);
}

TEST(Files, WritingLeavesNothingElseBehind) {
  testing::ScratchFolder scratch;
  ASSERT_TRUE(write_file(scratch.path() / "a.txt", "one").ok());
  ASSERT_TRUE(write_file(scratch.path() / "a.txt", "two").ok());
  EXPECT_EQ(*read_file(scratch.path() / "a.txt"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(Files, MissingFileIsNamed) {
  EXPECT_EQ(read_file("/nowhere/a.cu").error().message, "/nowhere/a.cu: no such file");
}

TEST(Files, FolderIsRefused) {
  testing::ScratchFolder scratch;
  EXPECT_EQ(read_file(scratch.path()).error().message, scratch.path().string() + ": is a folder, expected a file");
}

TEST(Files, FileAbove64MiBIsRefused) {
  testing::ScratchFolder scratch;
  fs::path path = scratch.path() / "large";
  ASSERT_TRUE(write_file(path, "").ok());
  fs::resize_file(path, (64u << 20) + 1);
  EXPECT_EQ(read_file(path).error().message, path.string() + ": is larger than 64 MiB");
}

TEST(Files, WritingIntoAMissingFolderFails) {
  Status status = write_file("/nowhere/a.txt", "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "/nowhere/a.txt: cannot be written: No such file or directory");
}

TEST(Files, WritingOverAFolderFailsAndCleansUp) {
  testing::ScratchFolder scratch;
  fs::create_directory(scratch.path() / "taken");
  EXPECT_FALSE(write_file(scratch.path() / "taken", "x").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(Files, WritingDoesNotFollowALinkInItsWay) {
  testing::ScratchFolder scratch;
  ASSERT_TRUE(write_file(scratch.path() / "precious", "kept").ok());
  fs::create_symlink(scratch.path() / "precious", scratch.path() / concat("a.partial.", getpid()));
  ASSERT_TRUE(write_file(scratch.path() / "a", "x").ok());
  EXPECT_EQ(*read_file(scratch.path() / "precious"), "kept");
  EXPECT_EQ(*read_file(scratch.path() / "a"), "x");
}

TEST(Files, ShareFolderFollowsTheVariable) {
  setenv("CUCO_SHARE", "/some/where", 1);
  EXPECT_EQ(*share_folder(), fs::path("/some/where"));
  unsetenv("CUCO_SHARE");
}

}  // namespace
}  // namespace cuco
