#include "gpu/toolchain.h"

#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/fake_process.h"

namespace cuco::gpu {
namespace {

class ToolchainTest : public ::testing::Test {
 protected:
  ToolchainTest() {
    environment.files["/bin/nvcc"] = "";
    environment.variables["NCCL_HOME"] = "/opt/nccl";
    environment.files["/opt/nccl/include/nccl.h"] = "#define NCCL_MAJOR 2\n#define NCCL_VERSION_CODE 23007\n";
    environment.files["/opt/nccl/lib/libnccl.so.2"] = "";
    processes.answers["/bin/nvcc --version"] = {0, "Cuda compilation tools, release 13.0, V13.0.88\n"};
    processes.answers["readlink -f /opt/nccl/lib/libnccl.so.2"] = {0, "/opt/nccl/lib/libnccl.so.2.30.7\n"};
    processes.answers["mpicxx --showme"] = {0,
                                            "g++ -I/mpi/include -pthread -L/mpi/lib -Wl,-rpath -Wl,/mpi/lib "
                                            "-Wl,--enable-new-dtags -lmpi_cxx -lmpi\n"};
    processes.answers["mpicxx --showme:version"] = {0, "mpicxx: Open MPI 4.1.6 (Language: C++)\n"};
  }

  Result<Toolchain> find() { return find_toolchain(processes, environment); }

  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
};

TEST_F(ToolchainTest, VersionsAreThoseOfTheToolsAndTheLibrary) {
  Toolchain found = find().value();
  EXPECT_EQ(found.nvcc, "/bin/nvcc");
  EXPECT_EQ(found.cuda, "13.0");
  EXPECT_EQ(found.nccl_include, "/opt/nccl/include");
  EXPECT_EQ(found.nccl_library, "/opt/nccl/lib");
  EXPECT_EQ(found.nccl_version, 23007u);
  EXPECT_EQ(found.mpi, "Open MPI 4.1.6");
}

TEST_F(ToolchainTest, ArgumentsOfMpiAreInNvccsForm) {
  Toolchain found = find().value();
  EXPECT_EQ(found.mpi_compile, (std::vector<std::string>{"-I/mpi/include", "-Xcompiler", "-pthread"}));
  EXPECT_EQ(found.mpi_link,
            (std::vector<std::string>{"-Xcompiler", "-pthread", "-L/mpi/lib", "-Xlinker", "-rpath", "-Xlinker",
                                      "/mpi/lib", "-Xlinker", "--enable-new-dtags", "-lmpi"}));
}

TEST_F(ToolchainTest, MpichIsAskedInItsOwnWay) {
  processes.answers.erase("mpicxx --showme");
  processes.answers["mpicxx -show"] = {0, "g++ -Wl,-z,relro -I/usr/include/mpich -L/usr/lib -lmpichcxx -lmpich\n"};
  Toolchain found = find().value();
  EXPECT_EQ(found.mpi, "MPICH");
  EXPECT_EQ(found.mpi_compile, (std::vector<std::string>{"-I/usr/include/mpich"}));
  EXPECT_EQ(found.mpi_link,
            (std::vector<std::string>{"-Xlinker", "-z", "-Xlinker", "relro", "-L/usr/lib", "-lmpichcxx", "-lmpich"}));
}

TEST_F(ToolchainTest, LibraryWhoseNameDoesNotSayItIsAskedForItsText) {
  processes.answers["readlink -f /opt/nccl/lib/libnccl.so.2"] = {0, "/opt/nccl/lib/libnccl.so.2\n"};
  processes.answers["grep -a -o -m 1 NCCL version [0-9]*[.][0-9]*[.][0-9]* /opt/nccl/lib/libnccl.so.2"] = {
      0, "NCCL version 2.30.5\n"};
  EXPECT_EQ(find()->nccl_version, 23005u);
}

TEST_F(ToolchainTest, HeaderAndLibraryOfDifferentVersionsAreRefused) {
  processes.answers["readlink -f /opt/nccl/lib/libnccl.so.2"] = {0, "/opt/nccl/lib/libnccl.so.2.28.9\n"};
  EXPECT_EQ(find().error().message,
            "/opt/nccl/include/nccl.h is of NCCL 2.30.7, but /opt/nccl/lib/libnccl.so.2 is 2.28.9; set NCCL_HOME to a "
            "folder with both of one version");
}

TEST_F(ToolchainTest, NcclHomeIsAWishThatNothingReplaces) {
  environment.variables["NCCL_HOME"] = "/elsewhere";
  environment.files["/usr/include/nccl.h"] = "#define NCCL_VERSION_CODE 22809\n";
  environment.files["/usr/lib/x86_64-linux-gnu/libnccl.so.2"] = "";
  EXPECT_EQ(find().error().message,
            "NCCL is not in NCCL_HOME=/elsewhere: include/nccl.h and lib/libnccl.so.2 are looked for there");
  environment.variables.erase("NCCL_HOME");
  EXPECT_EQ(find()->nccl_library, "/usr/lib/x86_64-linux-gnu");
}

TEST_F(ToolchainTest, WhatIsMissingIsSaidWithWhatToDo) {
  processes.answers.erase("mpicxx --showme");
  EXPECT_TRUE(find().error().message.starts_with("MPI is not here: mpicxx cannot be run; install"));
  environment.files.erase("/bin/nvcc");
  EXPECT_TRUE(find().error().message.starts_with("nvcc is not here:"));
  environment.variables["CUDA_HOME"] = "/cuda";
  environment.files["/cuda/bin/nvcc"] = "";
  processes.answers["/cuda/bin/nvcc --version"] = {0, "no such thing"};
  EXPECT_EQ(find().error().message, "/cuda/bin/nvcc --version names no release");
}

}  // namespace
}  // namespace cuco::gpu
