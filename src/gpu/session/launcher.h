// The command line that starts a program once per rank: of Open MPI, of MPICH and its kin (Hydra), of Slurm, or a line
// of the user's with {ranks}, {hosts}, {environment} and {program} in it.
//
// Variables travel in the line itself, because the environment around it is scrubbed by the sandbox.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"
#include "gpu/session/hosts.h"

namespace cuco::gpu {

using Variables = std::vector<std::pair<std::string, std::string>>;

enum class LauncherKind : uint8_t { OpenMpi, Hydra, Slurm, Template };

struct Launcher {
  LauncherKind kind = LauncherKind::OpenMpi;
  // Of Template the words with their placeholders, in which blanks end a word; of others the program.
  std::vector<std::string> words;
};

struct Launch {
  uint32_t rank_count = 1;
  uint32_t node_count = 1;           // More than one: ranks of this machine are told apart as if they were on so many.
  std::filesystem::path hosts_file;  // Empty: this machine.
  std::vector<Host> hosts;           // What the file says.
  Variables variables;
  std::vector<std::string> program;
};

// `line` is the user's; empty: $CUCO_LAUNCHER, then mpirun, mpiexec, srun. The error says what was looked for.
Result<Launcher> find_launcher(const std::string& line, ProcessRunner& processes, const Environment& environment);
// With a template, an error says which placeholder is missing.
Status check_launch(const Launcher& launcher, const Launch& launch);
std::vector<std::string> launch_line(const Launcher& launcher, const Launch& launch);
// Words that run one command on that host; empty where the launcher's line is the user's.
std::vector<std::string> line_on_host(const Launcher& launcher, const std::string& host);

// Of both lists; where they share a name the later one holds, because launchers reject a name that comes twice.
Variables merged(Variables first, const Variables& later);

}  // namespace cuco::gpu
