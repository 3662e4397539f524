#include "evaluate/plain/opened_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/scratch_folder.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

struct Placed {
  ScratchFolder scratch = *ScratchFolder::make("opened-files");
  fs::path start = scratch.path() / "project/build", run = scratch.path() / "run";
  SandboxRequest sandbox;

  explicit Placed(const std::vector<std::string>& arguments) {
    for (const char* folder : {"project/build", "project/data/.keys", "elsewhere"})
      fs::create_directories(scratch.path() / folder);
    for (const char* file : {"project/build/in.txt", "project/build/.secret", "project/data/graph.txt",
                             "project/data/.keys/id", "elsewhere/far.txt"})
      EXPECT_TRUE(write_file(scratch.path() / file, file));
    EXPECT_TRUE(place_files({start, arguments}, run, sandbox));
  }
  bool can_read(const fs::path& path) const { return std::ranges::count(sandbox.readable, path) > 0; }
};

TEST(OpenedFiles, WhatLiesBelowTheStartIsThere) {
  Placed placed({"in.txt", "7"});
  EXPECT_EQ(*read_file(placed.sandbox.current / "in.txt"), "project/build/in.txt");
  EXPECT_FALSE(fs::exists(placed.sandbox.current / ".secret"));
  EXPECT_TRUE(placed.sandbox.readable.empty());
  EXPECT_EQ(placed.sandbox.readable_without_hidden, std::vector<fs::path>{placed.start});
}

TEST(OpenedFiles, ResultsOfAnEarlierRunCanBeWrittenOver) {
  ScratchFolder scratch = *ScratchFolder::make("opened-files");
  fs::create_directories(scratch.path() / "start/out");
  ASSERT_TRUE(write_file(scratch.path() / "start/times.csv", "old"));
  ASSERT_TRUE(write_file(scratch.path() / "start/out/sum.txt", "old"));
  SandboxRequest sandbox;
  ASSERT_TRUE(place_files({scratch.path() / "start", {}}, scratch.path() / "run", sandbox));
  EXPECT_TRUE(write_file(sandbox.current / "times.csv", "new"));
  EXPECT_TRUE(write_file(sandbox.current / "out/sum.txt", "new"));
  EXPECT_EQ(*read_file(scratch.path() / "start/times.csv"), "old");
  EXPECT_EQ(*read_file(scratch.path() / "start/out/sum.txt"), "old");
}

TEST(OpenedFiles, WhatALinkLeadsToIsNotCopied) {
  ScratchFolder scratch = *ScratchFolder::make("opened-files");
  fs::create_directories(scratch.path() / "start");
  ASSERT_TRUE(write_file(scratch.path() / "secret", "key"));
  fs::create_symlink(scratch.path() / "secret", scratch.path() / "start/notes");
  SandboxRequest sandbox;
  ASSERT_TRUE(place_files({scratch.path() / "start", {}}, scratch.path() / "run", sandbox));
  EXPECT_TRUE(fs::is_symlink(sandbox.current / "notes"));
  EXPECT_TRUE(sandbox.readable.empty());
}

TEST(OpenedFiles, LargeFilesAreLinked) {
  ScratchFolder scratch = *ScratchFolder::make("opened-files");
  fs::create_directories(scratch.path() / "start");
  ASSERT_TRUE(write_file(scratch.path() / "start/weights.bin", std::string(2 << 20, 'x')));
  SandboxRequest sandbox;
  ASSERT_TRUE(place_files({scratch.path() / "start", {}}, scratch.path() / "run", sandbox));
  EXPECT_TRUE(fs::is_symlink(sandbox.current / "weights.bin"));
}

TEST(OpenedFiles, ArgumentBesideTheStartIsFoundByItsRelativePath) {
  Placed placed({"--input=../data/graph.txt"});
  EXPECT_EQ(*read_file(placed.sandbox.current / "../data/graph.txt"), "project/data/graph.txt");
  EXPECT_TRUE(placed.can_read(placed.scratch.path() / "project/data/graph.txt"));
}

TEST(OpenedFiles, ArgumentWithAnAbsolutePathIsReadable) {
  ScratchFolder other = *ScratchFolder::make("opened-files");
  ASSERT_TRUE(write_file(other.path() / "far.txt", ""));
  Placed placed({(other.path() / "far.txt").string()});
  EXPECT_TRUE(placed.can_read(other.path() / "far.txt"));
}

TEST(OpenedFiles, HiddenMissingAndEnclosingPathsAreLeftOut) {
  Placed placed({"../data/.keys/id", "../data/none.txt", "..", "/"});
  EXPECT_TRUE(placed.sandbox.readable.empty());
  EXPECT_EQ(placed.sandbox.readable_without_hidden, std::vector<fs::path>{placed.start});
}

}  // namespace
}  // namespace cuco::evaluate
