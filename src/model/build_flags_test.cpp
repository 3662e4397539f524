#include "model/build_flags.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::model {
namespace {

std::string in_brackets(std::string_view word) { return concat("<", word, ">"); }

BuildFlags some_flags() {
  BuildFlags flags;
  flags.include_folders = {"include", "with space"};
  flags.system_include_folders = {"system"};
  flags.definitions = {"A", "B=\"x y\""};
  flags.undefinitions = {"C"};
  flags.forced_includes = {"config.h"};
  flags.libraries = {"m"};
  set_standard(flags, "c++20");
  set_standard(flags, "c99");
  return flags;
}

TEST(BuildFlags, TextFormComesBack) {
  BuildFlags flags = some_flags();
  flags.of_files = {some_flags(), BuildFlags()};
  Result<BuildFlags> back = parse_build_flags(to_text(flags));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, flags);
  EXPECT_EQ(parse_build_flags("colour red\n").error().message, "'colour' is no build flag");
}

TEST(BuildFlags, AreTypedAsForACompiler) {
  EXPECT_EQ(typed_text(some_flags(), in_brackets),
            " -I <include> -I <with space> -isystem <system> -D <A> -D <B=\"x y\"> -U <C> -include <config.h>"
            " --std <c++20> --std <c99> -l <m>");
  EXPECT_EQ(typed_text(BuildFlags(), in_brackets), "");
}

TEST(BuildFlags, StandardIsOfTheFilesLanguage) {
  BuildFlags flags = some_flags();
  EXPECT_EQ(standard_of(flags, language_of("a.cu", flags)), "c++20");
  EXPECT_EQ(standard_of(flags, language_of("a.cc", flags)), "c++20");
  EXPECT_EQ(standard_of(flags, language_of("a.c", flags)), "c99");
  flags.nvcc_options.push_back(kAllIsCuda);
  EXPECT_EQ(language_of("a.cpp", flags), Language::Cuda);
}

TEST(BuildFlags, FolderWithInstalledHeadersIsLeftToStandIns) {
  testing::ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "toolkit");
  std::filesystem::create_directories(scratch.path() / "own");
  ASSERT_TRUE(write_file(scratch.path() / "toolkit/cuda_runtime.h", "").ok());
  BuildFlags flags;
  flags.include_folders = {(scratch.path() / "toolkit").string(), (scratch.path() / "own").string()};
  EXPECT_EQ(preprocessor_words(flags), (std::vector<std::string>{"-I", flags.include_folders[1]}));
  EXPECT_EQ(nvcc_words(flags).size(), 4);
}

TEST(BuildFlags, LibrariesOfCudaAreTheCallers) {
  BuildFlags flags;
  flags.libraries = {"cudart", "nccl", "z", "mpi"};
  EXPECT_EQ(host_library_words(flags), std::vector<std::string>{"-lz"});
}

TEST(BuildFlags, CopiesFindHeadersBesideTheirOriginals) {
  BuildFlags flags = flags_of_copies({}, {"src/a.cu", "common/b.cc"}, "/copies", "/project");
  EXPECT_EQ(flags.of_file(0).quote_folders,
            (std::vector<std::string>{"/copies", "/project/src", "/project"}));
  EXPECT_EQ(flags.of_file(1).quote_folders,
            (std::vector<std::string>{"/copies", "/project/common", "/project"}));
}

}  // namespace
}  // namespace cuco::model
