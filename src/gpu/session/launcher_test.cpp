#include "gpu/session/launcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "testing/fake_environment.h"
#include "testing/fake_process.h"

namespace cuco::gpu {
namespace {

Launch launch_of(uint32_t ranks) {
  Launch launch;
  launch.rank_count = ranks;
  launch.variables = {{"A", "1"}, {"LIST", "x,y"}};
  launch.program = {"./p", "n=1"};
  return launch;
}

Launch launch_on_hosts(uint32_t ranks) {
  Launch launch = launch_of(ranks);
  launch.hosts_file = "/h";
  launch.hosts = {{"a", 2}, {"b", 2}};
  return launch;
}

std::string line(LauncherKind kind, const Launch& launch) {
  return join(launch_line({kind, {kind == LauncherKind::Slurm ? "srun" : "mpirun"}}, launch), " ");
}

std::string open_mpi() { return geteuid() == 0 ? "mpirun --allow-run-as-root" : "mpirun"; }

TEST(Launcher, OpenMpiGetsAnOptionPerVariable) {
  EXPECT_EQ(line(LauncherKind::OpenMpi, launch_of(2)),
            open_mpi() + " --oversubscribe --bind-to none -n 2 --mca plm_rsh_agent true -x A=1 -x LIST=x,y ./p n=1");
  EXPECT_EQ(line(LauncherKind::OpenMpi, launch_on_hosts(4)),
            open_mpi() + " --oversubscribe --bind-to none -n 4 --hostfile /h -x A=1 -x LIST=x,y ./p n=1");
}

TEST(Launcher, HydraGetsHostsAsWords) {
  EXPECT_EQ(line(LauncherKind::Hydra, launch_of(2)), "mpirun -n 2 -env A 1 -env LIST x,y ./p n=1");
  EXPECT_EQ(line(LauncherKind::Hydra, launch_on_hosts(4)), "mpirun -n 4 -hosts a:2,b:2 -env A 1 -env LIST x,y ./p n=1");
}

TEST(Launcher, SlurmKeepsValuesWithCommasWhole) {
  EXPECT_EQ(line(LauncherKind::Slurm, launch_on_hosts(4)),
            "srun -n 4 --export=ALL --nodelist=a,b env A=1 LIST=x,y ./p n=1");
}

Launcher template_of(const std::string& text) {
  cuco::testing::FakeProcessRunner processes;
  return find_launcher(text, processes, cuco::testing::FakeEnvironment()).value();
}

TEST(LauncherTemplate, PlaceholdersAreFilled) {
  Launcher launcher = template_of("start  --np={ranks} --on {hosts} {environment} -- {program}");
  EXPECT_TRUE(check_launch(launcher, launch_on_hosts(4)).ok());
  EXPECT_EQ(join(launch_line(launcher, launch_on_hosts(4)), " "), "start --np=4 --on /h env A=1 LIST=x,y -- ./p n=1");
}

TEST(LauncherTemplate, VariablesComeBeforeTheProgramUnlessPlaced) {
  EXPECT_EQ(join(launch_line(template_of("start {ranks} {program}"), launch_of(2)), " "),
            "start 2 env A=1 LIST=x,y ./p n=1");
}

TEST(LauncherTemplate, WhatIsMissingIsNamed) {
  auto message = [](const std::string& text, const Launch& launch) {
    return check_launch(template_of(text), launch).error().message;
  };
  EXPECT_EQ(message("start {ranks}", launch_of(2)),
            "launcher 'start {ranks}' has no {program}, where the ranks' program goes");
  EXPECT_EQ(message("start {program}", launch_of(2)), "launcher 'start {program}' has no {ranks}, the number of ranks");
  EXPECT_EQ(message("s {ranks} {hosts} {program}", launch_of(2)),
            "launcher 's {ranks} {hosts} {program}' has {hosts}, but no hosts file is given (--hosts FILE)");
  EXPECT_EQ(message("s {ranks} {program}", launch_on_hosts(4)),
            "launcher 's {ranks} {program}' has no {hosts}, where the name of the hosts file goes");
  EXPECT_EQ(message("s {ranks} x={program}", launch_of(2)),
            "launcher 's {ranks} x={program}': {program} must be a word of its own");
}

TEST(FindLauncher, KnowsMpisByWhatTheySay) {
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  EXPECT_EQ(find_launcher("", processes, environment).error().message.find("nothing here starts ranks"), 0u);
  processes.answers["srun --version"] = {0, "slurm 23.11.4\n"};
  EXPECT_EQ(find_launcher("", processes, environment)->kind, LauncherKind::Slurm);
  processes.answers["mpiexec --version"] = {0, "HYDRA build details:\n"};
  EXPECT_EQ(find_launcher("", processes, environment)->kind, LauncherKind::Hydra);
  processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1.6\n"};
  EXPECT_EQ(find_launcher("", processes, environment)->kind, LauncherKind::OpenMpi);
}

TEST(FindLauncher, UsersLineComesBeforeTheVariableAndThatBeforeMpi) {
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1.6\n"};
  environment.variables["CUCO_LAUNCHER"] = "mine {ranks} {program}";
  EXPECT_EQ(find_launcher("", processes, environment)->words[0], "mine");
  EXPECT_EQ(find_launcher("other {ranks} {program}", processes, environment)->words[0], "other");
}

TEST(Variables, LaterOnesHold) {
  EXPECT_EQ(merged({{"A", "1"}, {"B", "2"}}, {{"B", "3"}, {"C", "4"}}),
            (Variables{{"A", "1"}, {"B", "3"}, {"C", "4"}}));
}

// With a real shell: what each launcher calls the rank becomes the node.
TEST(Launcher, RanksOfOneGpuAreToldApartByNode) {
  Launch launch;
  launch.rank_count = 4;
  launch.node_count = 2;
  launch.program = {"sh", "-c", "echo $NCCL_HOSTID"};
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    for (int rank = 0; rank < 4; ++rank) {
      launch.variables = {{name, concat(rank)}};
      std::vector<std::string> words = launch_line(template_of("env X={ranks} {program}"), launch);
      EXPECT_EQ(RealProcessRunner().run(words, 10'000)->text, concat("cuco-node-", rank / 2, "\n")) << name;
    }
}

}  // namespace
}  // namespace cuco::gpu
