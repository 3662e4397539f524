#include "vcluster/build_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/files.h"
#include "base/text.h"

namespace cuco::vcluster {
namespace {

// An image without sections.
std::string empty_image() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

// An image that asks for one function.
std::string image_asking_for(const std::string& name) {
  struct {
    Elf64_Ehdr header = {};
    Elf64_Shdr sections[2] = {};
    Elf64_Sym symbol = {};
  } parts;
  std::memcpy(parts.header.e_ident, ELFMAG, SELFMAG);
  parts.header.e_shoff = sizeof parts.header, parts.header.e_shnum = 2;
  parts.sections[0].sh_type = SHT_DYNSYM, parts.sections[0].sh_link = 1;
  parts.sections[0].sh_offset = sizeof parts - sizeof parts.symbol, parts.sections[0].sh_size = sizeof parts.symbol;
  parts.sections[1].sh_offset = sizeof parts;
  return std::string(reinterpret_cast<const char*>(&parts), sizeof parts) + name + '\0';
}

// Plays the compiler: every step succeeds except the one that a test names, and leaves the files that follow on it.
class FakeCompiler : public ProcessRunner {
 public:
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int, const std::string& = "") override {
    commands.push_back(arguments);
    const std::string& output = arguments.back();
    if (output.ends_with(fails_at)) return ProcessOutput{1, "program.cu:3:5: error: no such thing\n"};
    if (output.starts_with("-l")) return ProcessOutput{output == installed ? 0 : 1, "cannot find " + output};
    EXPECT_TRUE(write_file(output, output.ends_with("image.so") ? image + content : content));
    return ProcessOutput{0, output.ends_with(".o") ? says : ""};
  }
  std::vector<std::vector<std::string>> commands;
  std::string fails_at = "nothing";
  std::string content = "text";
  std::string image = empty_image();
  std::string installed = "nothing";  // -lNAME
  std::string says = "";              // While it compiles.
};

BuildRequest request() {
  BuildRequest result;
  result.files = {"program.cu"};
  result.share = "/share";
  result.folder = ::testing::TempDir();
  return result;
}

Result<std::string> unchanged(const LoweringInput& input) { return input.text; }

TEST(BuildImage, PreprocessesCompilesAndLinks) {
  FakeCompiler compiler;
  Result<Image> image = build_image(request(), unchanged, compiler);
  ASSERT_TRUE(image);
  ASSERT_EQ(compiler.commands.size(), 3u);
  EXPECT_EQ(compiler.commands[0][1], "-E");
  EXPECT_EQ(compiler.commands[1][2], "c++-cpp-output");
  EXPECT_EQ(compiler.commands[2][1], "-shared");
}

TEST(BuildImage, GivesTheCompilersMessageWhenAStepFails) {
  FakeCompiler compiler;
  compiler.fails_at = ".o";
  EXPECT_EQ(build_image(request(), unchanged, compiler).error().message, "program.cu:3:5: error: no such thing");
}

TEST(BuildImage, KeepsTheCompilersWarningsOfCertainFaults) {
  FakeCompiler compiler;
  compiler.says =
      "program.cu:3:5: warning: 'sscanf' may overflow [-Wfortify-source]\n  3 | sscanf(...)\n"
      "program.cu:4:7: warning: unused variable 'x' [-Wunused-variable]\n"
      "program.cu:9:2: warning: variable 'r' is uninitialized when used within its own initialization "
      "[-Wuninitialized]\n"
      "2 warnings generated.\n";
  std::vector<CompilerWarning> wanted = {
      {"memory_access", "program.cu:3:5: 'sscanf' may overflow"},
      {"unwritten_read", "program.cu:9:2: variable 'r' is uninitialized when used within its own initialization"}};
  EXPECT_EQ(build_image(request(), unchanged, compiler)->warnings, wanted);
}

// The same text in another scratch folder is not compiled again; another text is.
TEST(BuildImage, CompilesWhatItKnowsOnce) {
  std::map<std::string, std::string> kept;
  auto build_in = [&](const std::string& folder, const std::string& text, FakeCompiler& compiler) {
    compiler.content = concat("# 1 \"", folder, "/program.cu\"\n", text);
    BuildRequest asked = request();
    asked.files = {folder + "/program.cu"};
    asked.random_folder = folder;
    asked.known.find = [&](const std::string& key) {
      return kept.contains(key) ? std::optional(kept[key]) : std::nullopt;
    };
    asked.known.keep = [&](const std::string& key, const std::string& object) { kept[key] = object; };
    return build_image(asked, unchanged, compiler)->warnings;
  };
  FakeCompiler first, again, other;
  first.says = concat(kStableFolder, "/program.cu:3:5: warning: 'sscanf' may overflow [-Wfortify-source]\n");
  std::vector<CompilerWarning> warnings = build_in("/tmp/one", "a", first);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(first.commands.size(), 3u);
  EXPECT_EQ(build_in("/tmp/two", "a", again), warnings);
  EXPECT_EQ(again.commands.size(), 2u) << "preprocessed and linked";
  EXPECT_EQ(read_file(request().folder / "unit0.o").value(), first.content) << "the object that was kept";
  build_in("/tmp/two", "b", other);
  EXPECT_EQ(other.commands.size(), 3u);
  EXPECT_EQ(kept.size(), 2u);
}

TEST(BuildImage, StopsAtWhatTheLoweringRefuses) {
  FakeCompiler compiler;
  auto refuse = [](const LoweringInput& input) -> Result<std::string> {
    return Error{input.path + ":7:1: error: inline PTX 'wgmma' is not supported by the virtual cluster"};
  };
  Result<Image> image = build_image(request(), refuse, compiler);
  EXPECT_EQ(image.error().message, "program.cu:7:1: error: inline PTX 'wgmma' is not supported by the virtual cluster");
  EXPECT_EQ(compiler.commands.size(), 1u);
}

TEST(BuildImage, LinksTheInstalledLibraryThatHasWhatTheImageAsksFor) {
  FakeCompiler compiler;
  compiler.image = image_asking_for("cblas_dgemm"), compiler.installed = "-lopenblas";
  ASSERT_TRUE(build_image(request(), unchanged, compiler));
  EXPECT_EQ(compiler.commands.back().back(), "-lopenblas");
}

TEST(BuildImage, NamesThePackageOfALibraryThatIsNotInstalled) {
  FakeCompiler compiler;
  compiler.image = image_asking_for("LAPACKE_dgesv");
  EXPECT_EQ(
      build_image(request(), unchanged, compiler).error().message,
      "program.cu: error: nothing defines LAPACKE_dgesv, and no liblapacke.so is installed; install the package that "
      "has it, on Debian liblapacke-dev, or name its library with -l");
}

TEST(BuildImage, LeavesLibrariesToAUserWhoNamesSome) {
  FakeCompiler compiler;
  compiler.image = image_asking_for("cblas_dgemm");
  BuildRequest with_own = request();
  with_own.flags.libraries = {"mkl_rt"};
  compiler.installed = "-lmkl_rt";
  EXPECT_TRUE(build_image(with_own, unchanged, compiler));
}

TEST(BuildImage, KnowsThatRanksAreProcessesFromMpiAndFromTheLaunchersVariables) {
  FakeCompiler compiler;
  compiler.content = std::string("\0MPI_Init\0", 10);
  EXPECT_TRUE(build_image(request(), unchanged, compiler)->ranks_are_processes);
  compiler.content = std::string("\0SLURM_PROCID\0", 14);
  EXPECT_FALSE(build_image(request(), unchanged, compiler)->ranks_are_processes) << "a text that is only printed";
  compiler.content += std::string("\0getenv\0", 8);
  EXPECT_TRUE(build_image(request(), unchanged, compiler)->ranks_are_processes);
  compiler.content = std::string("\0MPI_Initialized\0", 17);
  EXPECT_FALSE(build_image(request(), unchanged, compiler)->ranks_are_processes);
}

}  // namespace
}  // namespace cuco::vcluster
