#include "campaign/compile_commands.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::campaign {
namespace {

using Words = std::vector<std::string>;

class CompileCommandsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(scratch_.path() / name, replace_all(text, "HERE", scratch_.path().string())).ok());
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  testing::ScratchFolder scratch_;
};

TEST(CompileCommands, WordsAreSplitAsByAShell) {
  EXPECT_EQ(split_words(R"(nvcc  -DA="b c" -D'N="x"' a\ b.cu)"), (Words{"nvcc", "-DA=b c", "-DN=\"x\"", "a b.cu"}));
}

TEST(CompileCommands, WordsOfACompilerBecomeFlags) {
  model::BuildFlags flags = flags_from_words(
      {"nvcc", "-Iinclude", "-I",       "/abs", "-isystem=/sys", "-DN=4", "-D", "M",    "-UX", "-std=c++20", "-gencode",
       "-Ix",  "-include",  "config.h", "-O3",  "-lineinfo",     "-lz",   "-c", "a.cu", "-o",  "a.o"},
      "/project");
  EXPECT_EQ(flags.include_folders, (Words{"/project/include", "/abs"}));
  EXPECT_EQ(flags.system_include_folders, Words{"/sys"});
  EXPECT_EQ(flags.definitions, (Words{"N=4", "M"}));
  EXPECT_EQ(flags.undefinitions, Words{"X"});
  EXPECT_EQ(flags.forced_includes, Words{"/project/config.h"});
  EXPECT_EQ(flags.libraries, Words{"z"});
  EXPECT_EQ(flags.standard, "c++20");
}

TEST_F(CompileCommandsTest, FilesAndTheirFlagsComeFromTheDatabase) {
  write("more.rsp", "-Imore");
  write("compile_commands.json",
        R"([{"directory": "HERE", "file": "a.cu", "command": "nvcc -DA --options-file more.rsp -c a.cu"},
            {"directory": "HERE", "file": "b.c", "arguments": ["cc", "-DB", "-c", "b.c"]},
            {"directory": "HERE", "file": "read.me", "command": "cat read.me"}])");
  Words files;
  model::BuildFlags flags;
  flags.definitions = {"GIVEN"};
  ASSERT_TRUE(take_compile_commands(scratch_.path(), files, flags).ok());
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(std::filesystem::absolute(files[0]).lexically_normal(), path("a.cu"));
  EXPECT_EQ(flags.of_file(0).definitions, (Words{"A", "GIVEN"}));
  EXPECT_EQ(flags.of_file(0).include_folders, Words{path("more")});
  EXPECT_EQ(flags.of_file(1).definitions, (Words{"B", "GIVEN"}));
}

TEST_F(CompileCommandsTest, GivenFileMustBeAmongThem) {
  write("compile_commands.json", R"([{"directory": "HERE", "file": "a.cu", "command": "nvcc -c a.cu"}])");
  Words files = {path("x.cu")};
  model::BuildFlags flags;
  EXPECT_EQ(take_compile_commands(scratch_.path(), files, flags).error().message,
            concat(path("x.cu"), ": is not among the 1 file of compile_commands.json"));
  write("compile_commands.json", "{}");
  EXPECT_EQ(take_compile_commands(scratch_.path(), files, flags).error().message,
            concat(path("compile_commands.json"), ": is no list of compile commands"));
}

}  // namespace
}  // namespace cuco::campaign
