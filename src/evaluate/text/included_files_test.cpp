#include "evaluate/text/included_files.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of(const std::vector<SourceFile>& files) {
  std::vector<std::string> names;
  for (const SourceFile& file : files) names.push_back(file.name);
  return names;
}

class IncludedFiles : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& text) {
    fs::create_directories((scratch_.path() / name).parent_path());
    ASSERT_TRUE(write_file(scratch_.path() / name, text).ok());
  }
  std::vector<std::string> of(const std::string& text, const std::string& name = "program.cu") const {
    return names_of(included_files({{name, text}}, scratch_.path()).value());
  }
  std::vector<std::string> of_library(const std::string& text) const {
    return names_of(library_headers({{"program.cu", text}}, scratch_.path()).value());
  }

  testing::ScratchFolder scratch_;
};

using Names = std::vector<std::string>;

TEST_F(IncludedFiles, AreFoundThroughEachOther) {
  add("cuco/comm.cuh", "#pragma once\n#include <cuco/comm/put.cuh>\n");
  add("cuco/comm/put.cuh", "#pragma once\n#include \"window.cuh\"\n#include <cuco/comm.cuh>\n");
  add("cuco/comm/window.cuh", "#include <nccl.h>\n");
  add("cuco/comm/unused.cuh", "");
  EXPECT_EQ(of("#include <cuco/comm.cuh>\n"), (Names{"cuco/comm.cuh", "cuco/comm/put.cuh", "cuco/comm/window.cuh"}));
  EXPECT_EQ(of("#  include \"cuco/comm/window.cuh\" // why\n"), (Names{"cuco/comm/window.cuh"}));
}

TEST_F(IncludedFiles, AreNotThoseOfCommentsAndStrings) {
  add("a.h", "");
  EXPECT_EQ(of("// #include \"a.h\"\n/*\n#include \"a.h\"\n*/\nconst char* s = R\"(\n#include \"a.h\"\n)\";\n"),
            Names{});
  EXPECT_EQ(of("#if 0\n#include \\\n \"a.h\"\n#endif\n"), (Names{"a.h"}));
}

TEST_F(IncludedFiles, AreLookedForBesideTheirIncluderFirst) {
  add("a.h", "#include \"outer.h\"\n");
  add("src/a.h", "#include \"b.h\"\n");
  add("src/b.h", "");
  add("outer.h", "");
  EXPECT_EQ(of("#include \"a.h\"\n", "src/main.cu"), (Names{"src/a.h", "src/b.h"}));
  EXPECT_EQ(of("#include \"../a.h\"\n", "src/main.cu"), (Names{"a.h", "outer.h"}));
}

TEST_F(IncludedFiles, LieInTheFolder) {
  add("inner/a.h", "");
  add("outside.h", "");
  EXPECT_EQ(names_of(included_files({{"p.cu", "#include \"../outside.h\"\n#include \"a.h\"\n#include </etc/hosts>\n"}},
                                    scratch_.path() / "inner")
                         .value()),
            (Names{"a.h"}));
}

TEST_F(IncludedFiles, OfTheProgramItselfAreNoHeaders) {
  add("kernels.cuh", "");
  EXPECT_EQ(
      names_of(included_files({{"p.cu", "#include \"kernels.cuh\"\n"}, {"kernels.cuh", ""}}, scratch_.path()).value()),
      Names{});
}

TEST_F(IncludedFiles, OfTheLibraryLeaveOutTheHarnessAndWhatStandsInForOthers) {
  add("device/cuco/comm.cuh", "#include \"cuco/element.h\"\n");
  add("device/cuco/element.h", "");
  add("device/cuco/harness.h", "#include \"cuco/draw.h\"\n");
  add("device/cuco/draw.h", "");
  add("device/include/nccl.h", "");
  EXPECT_EQ(of_library("#include \"cuco/harness.h\"\n#include <cuco/comm.cuh>\n#include \"include/nccl.h\"\n"),
            (Names{"cuco/comm.cuh", "cuco/element.h"}));
}

TEST_F(IncludedFiles, OfTheProgramsFolderComeBeforeThoseThatShip) {
  add("device/cuco/comm.cuh", "shipped");
  add("device/cuco/put.cuh", "");
  add("mine/cuco/comm.cuh", "#include <cuco/put.cuh>\n");
  Result<CarriedHeaders> carried =
      carried_headers({{"p.cu", "#include <cuco/comm.cuh>\n"}}, scratch_.path() / "mine", scratch_.path());
  EXPECT_EQ(names_of(carried->own), (Names{"cuco/comm.cuh"}));
  EXPECT_EQ(names_of(carried->library), (Names{"cuco/put.cuh"}));
}

std::string inlined(const std::string& text) {
  return with_headers_inside({"p.cu", text}, {{"cuco/a.cuh", "#pragma once\n#include <cuco/b.cuh>\nint a;\n"},
                                              {"cuco/b.cuh", "#pragma once\n#include <cuco/a.cuh>\nint b;\n"}});
}

TEST(HeadersInside, StandWhereTheyWereIncludedAndOnce) {
  EXPECT_EQ(inlined("#include <mpi.h>\n#include <cuco/b.cuh>\n#include <cuco/a.cuh>  // Why.\nint c;\n"),
            "#include <mpi.h>\n"
            "// cuco/b.cuh\n#ifndef CUCO_B_CUH\n#define CUCO_B_CUH\n"
            "// cuco/a.cuh\n#ifndef CUCO_A_CUH\n#define CUCO_A_CUH\n"
            "// cuco/b.cuh\nint a;\n#endif  // CUCO_A_CUH\nint b;\n#endif  // CUCO_B_CUH\n"
            "// cuco/a.cuh  // Why.\nint c;\n");
}

TEST(HeadersInside, AreThereWhereAConditionThatHadThemDoesNotHold) {
  std::string text = inlined("#ifdef X\n#include <cuco/b.cuh>\n#endif\n#include <cuco/b.cuh>\n");
  EXPECT_EQ(split(text, '\n').size(), 25u) << text;
  EXPECT_NE(text.find("int b;", text.find("#endif\n// cuco/b.cuh")), text.npos) << text;
}

TEST(HeadersInside, LeaveOtherTextAlone) {
  std::string text = "#include <nccl.h>\n#include \"mine.h\"\r\nint main() {}";
  EXPECT_EQ(inlined(text), text);
}

TEST_F(IncludedFiles, AreReachedByTheirPaths) {
  add("src/main.cu", "#include \"../common/types.h\"\n#include <args.h>\n#include <vector>\n");
  add("common/types.h", "#include \"more/sizes.h\"\n");
  add("common/more/sizes.h", "");
  add("include/args.h", "");
  add("include/unused.h", "");
  std::vector<std::string> found;
  for (const fs::path& header :
       reached_headers({(scratch_.path() / "src/main.cu").string()}, {(scratch_.path() / "include").string()}))
    found.push_back(header.lexically_relative(scratch_.path()).string());
  EXPECT_EQ(found, (Names{"common/types.h", "include/args.h", "common/more/sizes.h"}));
}

// world.h changes: what includes it has to find the changed one, and that finds what lies beside it.
TEST_F(IncludedFiles, ChangedHeaderTakesThoseAroundItAlong) {
  add("common/world.h", "#include \"checks.h\"\n");
  add("common/checks.h", "");
  add("common/setup.h", "#include \"world.h\"\n");
  add("common/other.h", "");
  std::vector<SourceFile> sources = {{"src/main.cu", "#include <setup.h>\n#include \"../common/other.h\"\n"}};
  std::vector<SourceFile> changed = {{"common/world.h", "#include \"checks.h\"\nint changed;\n"}};
  std::vector<std::string> searched = {(scratch_.path() / "common").string()};
  std::vector<SourceFile> taken = with_headers_around(sources, changed, scratch_.path(), searched).value();
  EXPECT_EQ(names_of(taken), (Names{"common/checks.h", "common/setup.h", "common/world.h"}));
  EXPECT_EQ(taken[2].text, changed[0].text);
}

}  // namespace
}  // namespace cuco::evaluate
