#include "gpu/session/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/text.h"
#include "gpu/session/marked_processes.h"
#include "testing/fake_environment.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

const std::string kNvidiaSmi =
    "nvidia-smi --query-gpu=index,uuid,name,compute_cap,memory.total,driver_version,compute_mode "
    "--format=csv,noheader,nounits";
const std::string kTwo =
    "0, GPU-aaaa, NVIDIA H200, 9.0, 143771, 580.1, Default\n1, GPU-bbbb, NVIDIA H200, 9.0, 143771, 580.1, Default\n";

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1.6\n"};
    processes.answers[kNvidiaSmi] = {0, kTwo};
    processes.respond = [this](const std::string& line) { return respond(line); };
    environment.files["/bin/nvidia-cuda-mps-control"] = "";
    environment.variables["NCCL_HOME"] = "/n";
    give_nccl(30);
    request.state_folder = scratch.path();
    request.lock_wait_s = 0;
  }

  void give_nccl(int minor) {
    environment.files["/n/lib/libnccl.so.2"] = "";
    environment.files["/n/include/nccl.h"] =
        concat("#define NCCL_MAJOR 2\n#define NCCL_MINOR ", minor, "\n#define NCCL_PATCH 7\n");
  }

  // MPS does as it is told; nvidia-smi shows what is on the GPUs.
  std::optional<ProcessOutput> respond(const std::string& line) {
    if (line.find("nvidia-cuda-mps-control") != std::string::npos) return ProcessOutput{0, ""};
    if (line.find("--query-compute-apps") == std::string::npos) return std::nullopt;
    std::string shown = on_gpu.front();
    if (on_gpu.size() > 1) on_gpu.erase(on_gpu.begin());
    return ProcessOutput{0, shown};
  }

  Result<Session> open() { return Session::open(request, processes, environment); }
  std::string refusal() { return open().error().message; }
  std::string variable(const Session& session, const std::string& name) {
    for (const auto& [each, value] : session.variables())
      if (each == name) return value;
    return "(none)";
  }

  cuco::testing::ScratchFolder scratch;
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  SessionRequest request;
  std::vector<std::string> on_gpu = {""};
};

using OneGpu = SessionTest;

TEST_F(OneGpu, RanksShareTheGpuThroughMps) {
  request.rank_count = 4;
  request.device = 1;
  Session session = open().value();
  ASSERT_EQ(session.devices().size(), 1u);
  EXPECT_EQ(session.devices()[0].uuid, "GPU-bbbb");
  EXPECT_EQ(variable(session, "CUDA_VISIBLE_DEVICES"), "GPU-bbbb");
  EXPECT_EQ(variable(session, "CUDA_MPS_PIPE_DIRECTORY"), session.shared_folders().at(0).string());
  EXPECT_EQ(variable(session, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "25");
  EXPECT_EQ(variable(session, "CUDA_DEVICE_MAX_CONNECTIONS"), "8");
  EXPECT_EQ(variable(session, "NCCL_MULTI_RANK_GPU_ENABLE"), "1");
  EXPECT_EQ(variable(session, "NCCL_MAX_CTAS"), "8");
  EXPECT_EQ(variable(session, "NCCL_CUMEM_ENABLE"), "1");
  EXPECT_EQ(variable(session, "LD_LIBRARY_PATH"), "/n/lib");
}

TEST_F(OneGpu, LibraryOfTheSessionIsFoundFirst) {
  environment.variables["LD_LIBRARY_PATH"] = "/a:/n/lib:/b";
  EXPECT_EQ(variable(open().value(), "LD_LIBRARY_PATH"), "/n/lib:/a:/b");
}

TEST_F(OneGpu, TwoRanksKeepTheirConnections) {
  Session session = open().value();
  EXPECT_EQ(variable(session, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "50");
  EXPECT_EQ(variable(session, "CUDA_DEVICE_MAX_CONNECTIONS"), "(none)");
}

TEST_F(OneGpu, ContextsOfAllRanksFindConnections) {
  request.rank_count = 3;
  EXPECT_EQ(variable(open().value(), "CUDA_DEVICE_MAX_CONNECTIONS"), "(none)");
  request.rank_count = 8;
  EXPECT_EQ(variable(open().value(), "CUDA_DEVICE_MAX_CONNECTIONS"), "8");
  environment.variables["CUCO_NIC"] = "/nic.so";
  environment.files["/nic.so"] = "";
  request.node_count = 2;
  EXPECT_EQ(variable(open().value(), "CUDA_DEVICE_MAX_CONNECTIONS"), "7");
}

TEST_F(OneGpu, VariablesOfARunReplaceThoseOfTheSession) {
  Session session = open().value();
  std::vector<std::string> words = session.launch_command({"./p"}, {{"NCCL_MAX_CTAS", "16"}, {"SEED", "1"}});
  EXPECT_EQ(std::count(words.begin(), words.end(), "NCCL_MAX_CTAS=16"), 1);
  EXPECT_EQ(std::count(words.begin(), words.end(), "NCCL_MAX_CTAS=8"), 0);
  EXPECT_EQ(std::count(words.begin(), words.end(), "SEED=1"), 1);
  EXPECT_EQ(variable(session, "CUCO_SESSION"), "(none)") << "would make equal runs look different in their records";
  EXPECT_EQ(words.back(), "./p");
}

TEST_F(OneGpu, ProcessWithAllRanksHasTheWholeGpu) {
  Session session = open().value();
  std::string line = join(session.single_process_command({"./p", "n=1"}, {{"NCCL_MAX_CTAS", "16"}}), " ");
  EXPECT_TRUE(line.starts_with("env CUDA_VISIBLE_DEVICES=GPU-aaaa ")) << line;
  EXPECT_TRUE(line.ends_with(" ./p n=1")) << line;
  EXPECT_NE(line.find(" NCCL_MAX_CTAS=16 "), std::string::npos) << line;
  EXPECT_NE(line.find(" CUCO_SESSION="), std::string::npos) << line;
  EXPECT_EQ(line.find("THREAD_PERCENTAGE"), std::string::npos) << line;
}

TEST_F(OneGpu, MpsIsStoppedAtTheEnd) {
  { Session session = open().value(); }
  EXPECT_EQ(processes.count_of("nvidia-cuda-mps-control -d"), 1u);
  EXPECT_EQ(processes.count_of("echo quit -t 1 | nvidia-cuda-mps-control"), 1u);
}

TEST_F(OneGpu, WithoutMpsIsRefused) {
  environment.files.erase("/bin/nvidia-cuda-mps-control");
  EXPECT_TRUE(refusal().starts_with("several ranks on one GPU need MPS")) << refusal();
  EXPECT_EQ(processes.count_of("nvidia-cuda-mps-control"), 0u);
}

TEST_F(OneGpu, NcclBefore230IsRefusedWithWhatWorks) {
  give_nccl(28);
  EXPECT_EQ(
      refusal(),
      "NCCL 2.28.7 in /n/lib refuses two ranks on a GPU; it runs one rank per GPU (--on mpi). For several ranks on "
      "one GPU build NCCL 2.30 or later from source: git clone https://github.com/NVIDIA/nccl && cd nccl && make -j "
      "src.build NVCC_GENCODE=-gencode=arch=compute_90,code=sm_90 && export NCCL_HOME=$PWD/build");
}

TEST_F(OneGpu, MissingNcclIsRefused) {
  environment.files.erase("/n/lib/libnccl.so.2");
  EXPECT_TRUE(refusal().starts_with("there is no libnccl.so.2 in $NCCL_HOME/lib")) << refusal();
}

TEST_F(OneGpu, NoDriverIsSaidFirst) {
  processes.answers.erase(kNvidiaSmi);
  environment.files.erase("/bin/nvidia-cuda-mps-control");
  EXPECT_EQ(refusal(), "there is no NVIDIA driver: nvidia-smi: No such file or directory");
}

TEST_F(OneGpu, SeveralNodesNeedTheEmulatedNic) {
  request.rank_count = 4;
  request.node_count = 2;
  EXPECT_TRUE(refusal().starts_with("several nodes on one GPU need the emulated NIC")) << refusal();
  environment.variables["CUCO_NIC"] = "/nic.so";
  EXPECT_EQ(refusal(), "CUCO_NIC=/nic.so: there is no such file; it is to be the emulated NIC, libcuco_nic.so");
  environment.files["/nic.so"] = "";
  environment.variables["CUCO_NIC_SHARED"] = "node";
  request.network = {25, 12.5};
  Session session = open().value();
  EXPECT_EQ(session.nic_plugin(), "/nic.so");
  EXPECT_EQ(variable(session, "CUCO_NIC_BANDWIDTH"), "25GB/s");
  EXPECT_EQ(variable(session, "CUCO_NIC_LATENCY"), "12.5us");
  EXPECT_EQ(variable(session, "CUCO_NIC_SHARED"), "node");
  EXPECT_EQ(variable(session, "NCCL_PROTO"), "Simple");
  EXPECT_EQ(variable(session, "NCCL_RMA_DISABLE"), "1");
  EXPECT_EQ(variable(session, "CUDA_DEVICE_MAX_CONNECTIONS"), "8");
  EXPECT_EQ(variable(session, "NCCL_NET_PLUGIN"), "/nic.so");
  EXPECT_NE(join(session.launch_command({"./p"}, {}), " ").find("NCCL_HOSTID=cuco-node-$((rank / 2))"),
            std::string::npos);
}

TEST_F(OneGpu, OneNodeNeedsNoNic) {
  Session session = open().value();
  EXPECT_FALSE(session.nic_plugin());
  EXPECT_EQ(variable(session, "NCCL_NET_PLUGIN"), "(none)");
  EXPECT_EQ(variable(session, "NCCL_PROTO"), "(none)");
}

TEST_F(OneGpu, RanksMustSpreadEvenlyOverNodes) {
  request.rank_count = 3;
  request.node_count = 2;
  EXPECT_EQ(refusal(), "3 ranks cannot be spread evenly over 2 nodes");
}

TEST_F(OneGpu, GpuThatIsNotThereIsRefused) {
  request.device = 2;
  EXPECT_EQ(refusal(), "GPU 2 is not there: this machine shows 2 GPUs");
}

TEST_F(OneGpu, VisibleDevicesAreCountedFromTheFirst) {
  environment.variables["CUDA_VISIBLE_DEVICES"] = "1";
  EXPECT_EQ(open().value().devices()[0].uuid, "GPU-bbbb");
  environment.variables["CUDA_VISIBLE_DEVICES"] = "GPU-bb,0";
  EXPECT_EQ(open().value().devices()[0].uuid, "GPU-bbbb");
  environment.variables["CUDA_VISIBLE_DEVICES"] = "7";
  EXPECT_EQ(refusal(), "CUDA_VISIBLE_DEVICES=7: nvidia-smi lists no GPU '7'");
}

TEST_F(OneGpu, ProhibitedGpuIsRefused) {
  processes.answers[kNvidiaSmi] = {0, "0, GPU-aaaa, NVIDIA H200, 9.0, 143771, 580.1, Prohibited\n"};
  EXPECT_EQ(refusal(), "GPU 0 (NVIDIA H200) is in compute mode Prohibited; nvidia-smi -i 0 -c DEFAULT frees it");
}

TEST_F(OneGpu, SecondSessionOnTheGpuIsRefusedUntilTheFirstEnds) {
  {
    Session session = open().value();
    EXPECT_TRUE(refusal().starts_with("GPU GPU-aaaa is in use by process ")) << refusal();
  }
  EXPECT_TRUE(open().ok());
}

// Searches that share a GPU.
class SharedGpu : public SessionTest {
 protected:
  SharedGpu() { request.lock_each_run = true; }
};

TEST_F(SharedGpu, SeveralSessionsAreOpenAndTakeTurns) {
  Session first = open().value(), second = open().value();
  EXPECT_NE(variable(first, "CUDA_MPS_PIPE_DIRECTORY"), variable(second, "CUDA_MPS_PIPE_DIRECTORY"));
  {
    Hold held = first.hold().value();
    Result<Hold> refused = second.hold();
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(refused.error().message.starts_with("GPU GPU-aaaa is in use by process ")) << refused.error().message;
  }
  EXPECT_TRUE(second.hold().ok());
}

TEST_F(SharedGpu, IsRefusedToWhomSharesNothingAndTheOtherWayRound) {
  Session sharing = open().value();
  request.lock_each_run = false;
  std::optional<Session> alone(open().value());
  EXPECT_FALSE(sharing.hold().ok());
  alone.reset();
  Hold held = sharing.hold().value();
  EXPECT_FALSE(open().ok());
}

TEST_F(SharedGpu, WaitingIsNotCounted) {
  request.lock_wait_s = 60;
  Session first = open().value(), second = open().value();
  std::optional<Hold> held(first.hold().value());
  std::thread waiting([&] { EXPECT_TRUE(second.hold().ok()); });
  usleep(300'000);
  held.reset();
  waiting.join();
  EXPECT_GE(first.held_seconds(), 0.3);
  EXPECT_LT(second.held_seconds(), 0.2);
}

TEST_F(SharedGpu, WaitingIsSaidOnce) {
  std::vector<std::string> said;
  request.report = [&](const std::string& what) { said.push_back(what); };
  request.lock_wait_s = 1;
  Session first = open().value(), second = open().value();
  Hold held = first.hold().value();
  EXPECT_FALSE(second.hold().ok());
  EXPECT_FALSE(second.hold().ok());
  EXPECT_EQ(said.size(), 1u);
}

TEST_F(SharedGpu, RecoveryDoesNotWaitForIdleServersOfOthers) {
  on_gpu = {"", "77, nvidia-cuda-mps-server\n"};
  Session session = open().value();
  EXPECT_TRUE(session.recover().ok());
  EXPECT_EQ(processes.count_of("--query-compute-apps"), 2u);
}

TEST_F(OneGpu, RecoveryStartsMpsAgainAndWaitsForTheGpu) {
  on_gpu = {"", "77, nvidia-cuda-mps-server\n", "77, nvidia-cuda-mps-server\n", ""};
  Session session = open().value();
  EXPECT_TRUE(session.recover().ok());
  EXPECT_EQ(processes.count_of("nvidia-cuda-mps-control -d"), 2u);
  EXPECT_EQ(processes.count_of("--query-compute-apps"), 4u);
}

TEST_F(OneGpu, RecoveryDoesNotWaitForWhatWasThereBefore) {
  on_gpu = {"5, somebody-else\n"};
  Session session = open().value();
  EXPECT_TRUE(session.recover().ok());
  EXPECT_EQ(processes.count_of("--query-compute-apps"), 2u);
}

class Mpi : public SessionTest {
 protected:
  Mpi() { request.executor = Executor::Mpi; }
};

TEST_F(Mpi, EachRankHasAGpuAndNoMps) {
  Session session = open().value();
  EXPECT_EQ(session.devices().size(), 2u);
  EXPECT_EQ(variable(session, "CUDA_VISIBLE_DEVICES"), "GPU-aaaa,GPU-bbbb");
  EXPECT_EQ(variable(session, "NCCL_MULTI_RANK_GPU_ENABLE"), "(none)");
  EXPECT_TRUE(session.shared_folders().empty());
  EXPECT_EQ(processes.count_of("nvidia-cuda-mps-control"), 0u);
}

TEST_F(Mpi, CtasAreLimitedOnlyOnRequest) {
  request.collective_ctas_max = 0;
  EXPECT_EQ(variable(open().value(), "NCCL_MAX_CTAS"), "(none)");
}

TEST_F(Mpi, MoreRanksThanGpusAreRefused) {
  request.rank_count = 3;
  EXPECT_EQ(refusal(),
            "3 ranks on this machine with 2 GPUs: they would take turns on a GPU and nothing could be timed; several "
            "ranks on one GPU are --on one-gpu, through MPS");
}

TEST_F(Mpi, GpusOfOtherHostsAreCounted) {
  request.rank_count = 4;
  request.hosts = "/hosts";
  environment.files["/hosts"] = "localhost slots=2\nother slots=2\n";
  std::string prefix = join(line_on_host({LauncherKind::OpenMpi, {"mpirun"}}, "other"), " ") + " ";
  EXPECT_EQ(refusal(), "host other: there is no NVIDIA driver: mpirun: No such file or directory");
  processes.answers[prefix + kNvidiaSmi] = {0, "0, GPU-cccc, NVIDIA H200, 9.0, 1, 580, Default\n"};
  EXPECT_TRUE(refusal().starts_with("2 ranks on host other with 1 GPU: they would take turns")) << refusal();
  processes.answers[prefix + kNvidiaSmi] = {0, kTwo};
  Session session = open().value();
  EXPECT_EQ(session.devices().size(), 2u);
  EXPECT_EQ(variable(session, "CUDA_VISIBLE_DEVICES"), "(none)");
}

TEST_F(Mpi, SlotsAreCheckedAgainstRanks) {
  request.hosts = "/hosts";
  request.rank_count = 5;
  environment.files["/hosts"] = "localhost slots=2\nother slots=2\n";
  EXPECT_TRUE(refusal().starts_with("/hosts: 2 hosts with 4 slots for 5 ranks")) << refusal();
}

// The line is really run: two processes of this machine, with the variables of session and run.
TEST_F(Mpi, LineStartsRealRanks) {
  RealProcessRunner real;
  if (Result<ProcessOutput> mpi = real.run({"mpirun", "--version"}, 20'000); !mpi)
    GTEST_SKIP() << "no mpirun here: " << mpi.error().message;
  request.collective_ctas_max = 3;
  Session session = open().value();
  std::vector<std::string> line = session.launch_command(
      {"sh", "-c", "echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $NCCL_MAX_CTAS, $SEED $0", "a b"},
      {{"SEED", "x y"}});
  Result<ProcessOutput> run = real.run(line, 60'000);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 0) << run->text;
  for (const char* rank : {"rank 0 of 2, 3, x y a b\n", "rank 1 of 2, 3, x y a b\n"})
    EXPECT_NE(run->text.find(rank), std::string::npos) << run->text;
}

// As Open MPI's do when only their launcher is killed.
class RanksThatLiveOn : public Mpi {
 protected:
  RanksThatLiveOn() { request.launcher = "setsid -f env RANKS={ranks} {environment} {program}"; }

  // On GPUs of another folder of locks, as if of another machine.
  Session other_session() {
    SessionRequest elsewhere = request;
    elsewhere.state_folder = scratch.path() / "other";
    return Session::open(elsewhere, processes, environment).value();
  }
  static std::string mark_of(const Session& session) {
    for (const std::string& word : session.launch_command({"p"}, {}))
      if (word.starts_with("CUCO_SESSION=")) return word;
    return "no mark";
  }
  static size_t ranks_of(const Session& session) { return processes_marked(mark_of(session)).size(); }
  static void start(const Session& session) {
    std::vector<std::string> line = session.launch_command({"sleep", "300"}, {});
    line.insert(line.begin(), {"sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"});
    ASSERT_TRUE(RealProcessRunner().run(line, 10'000).ok());
    for (int i = 0; i < 200 && ranks_of(session) == 0; ++i) usleep(10'000);
    ASSERT_EQ(ranks_of(session), 1u);
  }
};

TEST_F(RanksThatLiveOn, AreEndedByRecovery) {
  Session session = open().value(), other = other_session();
  start(session);
  start(other);
  EXPECT_TRUE(session.recover().ok());
  EXPECT_EQ(ranks_of(session), 0u);
  EXPECT_EQ(ranks_of(other), 1u);
}

TEST_F(RanksThatLiveOn, AreEndedWithTheSession) {
  std::string mark;
  {
    Session session = open().value();
    mark = mark_of(session);
    start(session);
  }
  EXPECT_TRUE(processes_marked(mark).empty());
}

}  // namespace
}  // namespace cuco::gpu
