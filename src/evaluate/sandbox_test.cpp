#include "evaluate/sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"

namespace cuco::evaluate {
namespace {

constexpr int kLongMs = 20'000;

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
  }

  SandboxRequest request(Confinement confinement) {
    SandboxRequest made;
    made.confinement = confinement;
    made.writable = scratch_.path();
    return made;
  }
  Result<ProcessOutput> shell(const std::string& script, Confinement confinement = Confinement::Compiler,
                              int timeout_ms = kLongMs) {
    return Sandbox(request(confinement)).run({"/bin/sh", "-c", script}, timeout_ms);
  }

  testing::ScratchFolder scratch_;
};

TEST_F(SandboxTest, KeepsWhatIsWrittenToItsFolder) {
  ASSERT_EQ(shell("echo kept > file")->exit_code, 0);
  EXPECT_EQ(*read_file(scratch_.path() / "file"), "kept\n");
}

TEST_F(SandboxTest, CannotWriteElsewhere) {
  testing::ScratchFolder other;
  EXPECT_NE(shell(concat("echo x > ", (other.path() / "file").string()))->exit_code, 0);
  EXPECT_NE(shell("echo x > /usr/cuco-file")->exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(other.path()));
}

// What is written there would be memory that no process has.
TEST_F(SandboxTest, NothingOfItIsAFileSystemInMemoryThatCanBeWritten) {
  for (const char* place : {"/", "/dev", "/dev/shm", "/tmp"})
    EXPECT_NE(shell(concat("echo x > ", place, "/cuco-file"))->exit_code, 0) << place;
  EXPECT_EQ(shell("echo x > /dev/null && head -c 1 /dev/urandom > byte && echo x > $TMPDIR/temporary")->exit_code, 0);
}

TEST_F(SandboxTest, SeesNoAccountsNoProcessesAndNoHome) {
  for (const char* path : {"/etc/passwd", "/proc/self/mem", "/root", "/home"})
    EXPECT_NE(shell(concat("test -e ", path))->exit_code, 0) << path;
}

TEST_F(SandboxTest, EnvironmentHoldsNoSecrets) {
  setenv("CUCO_TEST_KEY", "secret", 1);
  EXPECT_EQ(shell("env")->text.find("secret"), std::string::npos);
  unsetenv("CUCO_TEST_KEY");
}

// Connecting a datagram socket sends nothing; it fails where no interface leads there.
TEST_F(SandboxTest, NoNetworkCanBeReached) {
  Result<ProcessOutput> run = Sandbox(request(Confinement::Compiler))
                                  .run({"/bin/bash", "-c", "exec 3<>/dev/udp/192.0.2.1/53 && echo connected"}, kLongMs);
  EXPECT_NE(run->text.find("unreachable"), std::string::npos) << run->text;
}

TEST_F(SandboxTest, ProgramCannotStartProcesses) {
  Result<ProcessOutput> run = shell("ls / ; echo after", Confinement::Program);
  ASSERT_TRUE(run.ok());
  EXPECT_NE(run->text.find("Cannot fork"), std::string::npos) << run->text;
}

TEST_F(SandboxTest, RanksStartProcessesAndShareFoldersButSeeNoNetworkAndNoAccounts) {
  testing::ScratchFolder pipes;
  SandboxRequest ranks = request(Confinement::Ranks);
  ranks.shared = {pipes.path()};
  auto exit_code = [&](const std::string& script) {
    return Sandbox(ranks).run({"/bin/bash", "-c", script}, kLongMs)->exit_code;
  };
  EXPECT_EQ(exit_code(concat("(echo there > ", (pipes.path() / "pipe").string(), ") & wait $!")), 0);
  EXPECT_EQ(*read_file(pipes.path() / "pipe"), "there\n");
  EXPECT_EQ(exit_code("test -w /dev/shm && test -r /proc/self/maps && test -d /sys"), 0);
  EXPECT_NE(exit_code("exec 3<>/dev/udp/192.0.2.1/53"), 0);
  EXPECT_NE(exit_code("test -e /etc/passwd"), 0);
}

TEST(SandboxCommand, OnlyRanksSeeDevicesAndSharedFolders) {
  SandboxRequest request;
  request.writable = "/w";
  request.devices = {"/dev/nvidia0"};
  request.shared = {"/pipes"};
  auto line = [&](Confinement confinement) {
    request.confinement = confinement;
    return join(sandbox_command(request, {"program"}), " ");
  };
  std::string ranks = line(Confinement::Ranks);
  EXPECT_NE(ranks.find("--dev-bind-try /dev/nvidia0 /dev/nvidia0"), std::string::npos) << ranks;
  EXPECT_NE(ranks.find("--unshare-net"), std::string::npos) << ranks;
  EXPECT_EQ(ranks.find("--unshare-all"), std::string::npos) << ranks;
  EXPECT_EQ(line(Confinement::Compiler).find("/dev/nvidia0"), std::string::npos);
  EXPECT_EQ(line(Confinement::Program).find("/proc"), std::string::npos);
  EXPECT_EQ(line(Confinement::Program).find("--tmpfs"), std::string::npos);
  EXPECT_NE(ranks.find("--size 536870912 --tmpfs /tmp"), std::string::npos) << ranks;
}

TEST_F(SandboxTest, ReadableFolderMayBeALinkOrLieInTheSystem) {
  testing::ScratchFolder other;
  std::filesystem::create_directory(other.path() / "real");
  std::filesystem::create_directory_symlink(other.path() / "real", other.path() / "link");
  ASSERT_TRUE(write_file(other.path() / "real/file", "seen\n").ok());
  SandboxRequest linked = request(Confinement::Compiler);
  linked.readable = {other.path() / "link", "/usr/local", "/lib"};
  Result<ProcessOutput> run = Sandbox(linked).run({"cat", (other.path() / "link/file").string()}, kLongMs);
  EXPECT_EQ(run->text, "seen\n");
}

TEST(SandboxCommand, FoldersOfTheSystemAreNotMountedTwice) {
  SandboxRequest request;
  request.writable = "/w";
  request.readable = {"/usr/local/cuda", "/opt/nccl"};
  std::string line = join(sandbox_command(request, {"program"}), " ");
  EXPECT_EQ(line.find("/usr/local/cuda"), std::string::npos) << line;
  EXPECT_NE(line.find("--ro-bind-try /opt/nccl /opt/nccl"), std::string::npos) << line;
}

TEST_F(SandboxTest, CompilerWithTooManyProcessesIsStopped) {
  Result<ProcessOutput> run = shell("for i in $(seq 100); do sleep 60 & done; wait");
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "/bin/sh: more than 32 processes");
}

TEST_F(SandboxTest, TooMuchMemoryIsStopped) {
  SandboxRequest small = request(Confinement::Compiler);
  small.memory_bytes = 64u << 20;
  Result<ProcessOutput> run = Sandbox(small).run({"/bin/sh", "-c", "head -c 1000m /dev/zero | tail"}, kLongMs);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "/bin/sh: more than 64 MiB of memory in use");
}

TEST_F(SandboxTest, TooManyFilesAreStopped) {
  SandboxRequest small = request(Confinement::Compiler);
  small.written_bytes = 8u << 20;
  Result<ProcessOutput> run =
      Sandbox(small).run({"/bin/sh", "-c", "for i in $(seq 1000); do head -c 1m /dev/zero > f$i; done"}, kLongMs);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "/bin/sh: more than 8 MiB of files written");
}

// The shell ignores SIGTERM and leaves a process behind in a session of its own, which holds a lock while it lives.
TEST_F(SandboxTest, TimeoutEndsEveryProcessWithinASecond) {
  auto begin = std::chrono::steady_clock::now();
  const char* script = "trap '' TERM INT HUP; setsid flock lock sleep 60 & sleep 0.1; sleep 60";
  Result<ProcessOutput> run = shell(script, Confinement::Compiler, 1000);
  ASSERT_FALSE(run.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  Result<ProcessOutput> lock =
      RealProcessRunner().run({"flock", "-w", "1", (scratch_.path() / "lock").string(), "true"}, kLongMs);
  EXPECT_EQ(lock->exit_code, 0) << "a process still holds the lock";
}

TEST(Sandbox, MissingBubblewrapIsSaidWithTheChoiceThereIs) {
  testing::FakeProcessRunner processes;
  Status works = check_sandbox(processes);
  ASSERT_FALSE(works.ok());
  EXPECT_EQ(works.error().message,
            "there is no sandbox: bwrap is missing (apt-get install bubblewrap); give --no-sandbox to run programs "
            "without it");
}

TEST_F(SandboxTest, HiddenFilesOfAReadableFolderAreNotSeen) {
  testing::ScratchFolder start;
  std::filesystem::create_directories(start.path() / ".secrets");
  ASSERT_TRUE(write_file(start.path() / ".secrets/key", "key").ok());
  ASSERT_TRUE(write_file(start.path() / ".token", "token").ok());
  ASSERT_TRUE(write_file(start.path() / "data", "data").ok());
  SandboxRequest made = request(Confinement::Compiler);
  made.readable_without_hidden = {start.path()};
  std::string folder = start.path().string();
  Result<ProcessOutput> seen = Sandbox(made).run(
      {"/bin/sh", "-c", concat("cd ", folder, "; cat data .token .secrets/key; touch .secrets/x written")}, kLongMs);
  ASSERT_TRUE(seen.ok()) << seen.error().message;
  EXPECT_TRUE(seen->text.starts_with("data")) << seen->text;
  EXPECT_EQ(seen->text.find("key\n"), std::string::npos);
  EXPECT_EQ(seen->text.find("token\n"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(start.path() / "written"));
  EXPECT_FALSE(std::filesystem::exists(start.path() / ".secrets/x"));
}

}  // namespace
}  // namespace cuco::evaluate
