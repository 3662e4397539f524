#include "gpu/nccl_library.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/fake_environment.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

class NcclLibraryTest : public ::testing::Test {
 protected:
  // As packages and NCCL's own build lay it out.
  fs::path install(const std::string& name, const std::string& version) {
    fs::path folder = scratch.path() / name / "lib";
    fs::create_directories(folder);
    std::ofstream(folder / ("libnccl.so." + version)) << "library";
    fs::create_symlink("libnccl.so." + version, folder / "libnccl.so.2");
    environment.files[(folder / "libnccl.so.2").string()] = "";
    return folder;
  }
  std::optional<NcclLibrary> find(const fs::path& folder = {}) {
    return find_nccl_library(folder, processes, environment);
  }

  cuco::testing::ScratchFolder scratch;
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
};

TEST_F(NcclLibraryTest, VersionIsThatOfTheFileBehindTheLink) {
  EXPECT_EQ(find(install("a", "2.30.7"))->version, 23007u);
  EXPECT_EQ(nccl_version_text(23007), "2.30.7");
}

TEST_F(NcclLibraryTest, HeaderTellsWhereTheNameDoesNot) {
  environment.files["/n/lib/libnccl.so.2"] = "";
  EXPECT_EQ(find("/n/lib")->version, 0u);
  environment.files["/n/include/nccl.h"] = "#define NCCL_MAJOR 2\n#define NCCL_MINOR 29\n#define NCCL_PATCH 1\n";
  EXPECT_EQ(find("/n/lib")->version, 22901u);
}

TEST_F(NcclLibraryTest, HomeComesBeforeThePathAndThatBeforeTheLoader) {
  EXPECT_FALSE(find());
  fs::path system = install("system", "2.27.3"), path = install("path", "2.28.9"), home = install("home", "2.30.7");
  processes.answers["ldconfig -p"] = {0,
                                      "\tlibnccl.so.2 (libc6,x86-64) => " + (system / "libnccl.so.2").string() + "\n"};
  EXPECT_EQ(find()->version, 22703u);
  EXPECT_TRUE(find()->by_loader);
  environment.variables["LD_LIBRARY_PATH"] = "/nothing::" + path.string();
  EXPECT_EQ(find()->version, 22809u);
  EXPECT_FALSE(find()->by_loader);
  environment.variables["NCCL_HOME"] = home.parent_path().string();
  EXPECT_EQ(find()->version, 23007u);
}

TEST_F(NcclLibraryTest, FolderThatIsGivenIsTheOnlyOneLookedAt) {
  environment.variables["NCCL_HOME"] = install("home", "2.30.7").parent_path().string();
  EXPECT_FALSE(find("/empty"));
}

TEST_F(NcclLibraryTest, LineToBuildItNamesTheArchitecture) {
  EXPECT_NE(nccl_from_source("sm_120").find("arch=compute_120,code=sm_120"), std::string::npos);
  EXPECT_NE(nccl_from_source("").find("arch=compute_XX,code=sm_XX"), std::string::npos);
}

}  // namespace
}  // namespace cuco::gpu
