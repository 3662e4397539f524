#include "cli/machine.h"

#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/fake_process.h"

namespace cuco::cli {
namespace {

const std::string kGpuQuery =
    "nvidia-smi --query-gpu=index,uuid,name,compute_cap,memory.total,driver_version,compute_mode "
    "--format=csv,noheader,nounits";

class MachineTest : public ::testing::Test {
 protected:
  Finding find(const std::string& name) { return examine_machine(processes, environment).find(name); }

  void give_nccl(const std::string& minor) {
    environment.files["/usr/include/nccl.h"] =
        "#define NCCL_MAJOR 2\n#define NCCL_MINOR " + minor + "\n#define NCCL_PATCH 9\n";
    processes.answers["ldconfig -p"] = {0, "\tlibnccl.so.2 (libc6,x86-64) => /usr/lib/libnccl.so.2\n"};
  }

  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
};

TEST_F(MachineTest, BareMachineHasNothingAndEveryFixIsNamed) {
  for (const Finding& finding : examine_machine(processes, environment).findings) {
    EXPECT_FALSE(finding.present) << finding.name;
    EXPECT_FALSE(finding.fix.empty()) << finding.name;
    EXPECT_FALSE(finding.detail.empty()) << finding.name;
  }
}

TEST_F(MachineTest, CompilerShowsItsVersion) {
  processes.answers["clang-19 -dumpversion"] = {0, "19.1.7\n"};
  EXPECT_TRUE(find("clang-19").present);
  EXPECT_EQ(find("clang-19").detail, "19.1.7");
  EXPECT_EQ(find("clang-19").fix, "");
}

TEST_F(MachineTest, NvccIsFoundUnderCudaHome) {
  environment.variables["CUDA_HOME"] = "/opt/cuda";
  environment.files["/opt/cuda/bin/nvcc"] = "";
  processes.answers["/opt/cuda/bin/nvcc --version"] = {0, "Cuda compilation tools, release 13.0, V13.0.88\n"};
  EXPECT_EQ(find("nvcc").detail, "13.0, /opt/cuda/bin/nvcc");
}

TEST_F(MachineTest, Nccl228HasTheDeviceApiButOneRankAGpu) {
  give_nccl("28");
  environment.files["/usr/include/nccl_device.h"] = "";
  EXPECT_EQ(find("nccl").detail, "2.28.9, /usr/include/nccl.h, /usr/lib/libnccl.so.2");
  EXPECT_TRUE(find("nccl-device-api").present);
  EXPECT_FALSE(find("nccl-multi-rank").present);
}

TEST_F(MachineTest, EmulatedNicIsWhereItsVariableSays) {
  EXPECT_NE(find("emulated-nic").detail.find("libcuco_nic.so is not in "), std::string::npos);
  environment.variables["CUCO_NIC"] = "/nic.so";
  EXPECT_FALSE(find("emulated-nic").present);
  environment.files["/nic.so"] = "";
  EXPECT_EQ(find("emulated-nic").detail, "/nic.so, for NCCL 2.30");
  EXPECT_TRUE(find("emulated-nic").present);
}

TEST_F(MachineTest, OlderNcclHasNoUseForTheEmulatedNic) {
  environment.variables["CUCO_NIC"] = "/nic.so";
  environment.files["/nic.so"] = "";
  environment.variables["NCCL_HOME"] = "/n";
  environment.files["/n/lib/libnccl.so.2"] = "";
  environment.files["/n/include/nccl.h"] = "#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 9\n";
  EXPECT_EQ(find("emulated-nic").detail, "/nic.so, for NCCL 2.30, which is not 2.28.9");
  EXPECT_FALSE(find("emulated-nic").present);
}

TEST_F(MachineTest, CoresAreCountedForTheRanksTheyServe) {
  environment.files["/sys/devices/system/cpu/online"] = "0-11,14\n";
  EXPECT_EQ(find("cores").detail, "13; ranks on several nodes want four each: enough for 3 ranks");
  environment.files["/sys/devices/system/cpu/online"] = "0-6\n";
  EXPECT_FALSE(find("cores").present);
}

TEST_F(MachineTest, FixForSeveralRanksNamesTheArchitectureThatIsThere) {
  give_nccl("28");
  processes.answers[kGpuQuery] = {0, "0, GPU-a, NVIDIA A100, 8.0, 81920, 580.1, Default\n"};
  EXPECT_NE(find("nccl-multi-rank").fix.find("arch=compute_80,code=sm_80"), std::string::npos);
}

TEST_F(MachineTest, NcclHomeComesBeforeTheSystem) {
  give_nccl("28");
  environment.variables["NCCL_HOME"] = "/opt/nccl/build";
  environment.files["/opt/nccl/build/include/nccl.h"] =
      "#define NCCL_MAJOR 2\n#define NCCL_MINOR 30\n#define NCCL_PATCH 7\n";
  environment.files["/opt/nccl/build/lib/libnccl.so.2"] = "";
  EXPECT_EQ(find("nccl").detail, "2.30.7, /opt/nccl/build/include/nccl.h, /opt/nccl/build/lib/libnccl.so.2");
  EXPECT_TRUE(find("nccl-multi-rank").present);
}

TEST_F(MachineTest, LibraryOfAnotherVersionThanTheHeaderIsAFault) {
  give_nccl("28");
  environment.variables["NCCL_HOME"] = "/opt/nccl";
  environment.files["/opt/nccl/include/nccl.h"] = "#define NCCL_MAJOR 2\n#define NCCL_MINOR 30\n#define NCCL_PATCH 7\n";
  EXPECT_EQ(find("nccl").detail, "2.30.7, /opt/nccl/include/nccl.h, /usr/lib/libnccl.so.2 is 2.28.9");
  EXPECT_FALSE(find("nccl").present);
  EXPECT_FALSE(find("nccl-multi-rank").present);
}

TEST_F(MachineTest, Nccl230TakesSeveralRanksAGpu) {
  give_nccl("30");
  EXPECT_TRUE(find("nccl-multi-rank").present);
  EXPECT_FALSE(find("nccl-device-api").present);
}

TEST_F(MachineTest, NcclHeaderWithoutLibraryIsNotEnough) {
  give_nccl("28");
  processes.answers.erase("ldconfig -p");
  EXPECT_FALSE(find("nccl").present);
}

TEST_F(MachineTest, MpiFlavoursAreTold) {
  processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1.4\n\nReport bugs to ...\n"};
  EXPECT_EQ(find("mpi").detail, "Open MPI 4.1.4");
  processes.answers["mpirun --version"] = {0, "HYDRA build details:\n    Version:            4.0.2\n"};
  EXPECT_EQ(find("mpi").detail, "MPICH 4.0.2");
  processes.answers["mpirun --version"] = {0, "Intel(R) MPI Library for Linux* OS, Version 2021.11\n"};
  EXPECT_EQ(find("mpi").detail, "Intel(R) MPI Library for Linux* OS, Version 2021.11");
}

TEST_F(MachineTest, GpusAreCountedByKind) {
  processes.answers[kGpuQuery] = {0,
                                  "0, GPU-a, NVIDIA H200, 9.0, 143771, 580.1, Default\n"
                                  "1, GPU-b, NVIDIA H200, 9.0, 143771, 580.1, Default\n"
                                  "2, GPU-c, NVIDIA A100, 8.0, 81920, 580.1, Exclusive_Process\n"};
  EXPECT_EQ(find("gpu").detail,
            "1 x NVIDIA A100, sm_80, driver 580.1, compute mode Exclusive_Process; "
            "2 x NVIDIA H200, sm_90, driver 580.1, compute mode Default");
}

TEST_F(MachineTest, DriverThatFailsIsNoGpu) {
  processes.answers[kGpuQuery] = {9, "NVIDIA-SMI has failed\n"};
  EXPECT_FALSE(find("gpu").present);
  EXPECT_EQ(find("gpu").detail, "nvidia-smi fails with exit code 9: NVIDIA-SMI has failed");
}

TEST_F(MachineTest, SandboxMustWorkNotJustBeThere) {
  processes.answers["bwrap --ro-bind / / --unshare-all true"] = {1, "bwrap: setting up uid map: Permission denied\n"};
  EXPECT_FALSE(find("sandbox").present);
  EXPECT_EQ(find("sandbox").detail,
            "bubblewrap is there but does not work: bwrap: setting up uid map: Permission denied");
  processes.answers["bwrap --ro-bind / / --unshare-all true"] = {0, ""};
  EXPECT_TRUE(find("sandbox").present);
}

TEST_F(MachineTest, KeysAreKnownByNameOnly) {
  environment.variables["ANTHROPIC_API_KEY"] = "secret";
  environment.variables["OPENAI_API_KEY"] = "";
  EXPECT_TRUE(find("ANTHROPIC_API_KEY").present);
  EXPECT_FALSE(find("OPENAI_API_KEY").present);
  for (const Finding& finding : examine_machine(processes, environment).findings)
    EXPECT_EQ((finding.detail + finding.fix).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace cuco::cli
