#include "gpu/session/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "gpu/time_limits.h"

namespace cuco::gpu {

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

std::optional<Launcher> launcher_named(const std::string& program, ProcessRunner& processes) {
  Result<ProcessOutput> run = processes.run({program, "--version"}, kProbeMsMax);
  if (!run || run->exit_code != 0) return std::nullopt;
  auto says = [&](const char* mark) { return run->text.find(mark) != std::string::npos; };
  if (says("Open MPI") || says("OpenRTE")) return Launcher{LauncherKind::OpenMpi, {program}};
  if (says("HYDRA") || says("Intel(R) MPI")) return Launcher{LauncherKind::Hydra, {program}};
  if (says("slurm")) return Launcher{LauncherKind::Slurm, {program}};
  return std::nullopt;
}

Words environment_words(const Variables& variables) {
  if (variables.empty()) return {};
  Words words = {"env"};
  for (const auto& [name, value] : variables) words.push_back(concat(name, "=", value));
  return words;
}

// Every launcher tells a rank its number under a name of its own.
Words program_words(const Launch& launch) {
  if (launch.node_count <= 1) return launch.program;
  uint32_t ranks_per_node = launch.rank_count / launch.node_count;
  Words words = {"sh", "-c",
                 concat("rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?no launcher tells the rank}}}; ",
                        "export NCCL_HOSTID=cuco-node-$((rank / ", ranks_per_node, ")); exec \"$@\""),
                 "sh"};
  append(words, launch.program);
  return words;
}

Words open_mpi_line(const Launcher& launcher, const Launch& launch) {
  Words words = launcher.words;
  if (geteuid() == 0) words.push_back("--allow-run-as-root");
  // Ranks spin on flags of the host: bound to the first cores they would starve each other.
  append(words, {"--oversubscribe", "--bind-to", "none", "-n", concat(launch.rank_count)});
  if (!launch.hosts.empty()) append(words, {"--hostfile", launch.hosts_file.string()});
  // Open MPI 4 wants to know how other hosts are reached, and ends without ssh even when there are none.
  if (launch.hosts.empty()) append(words, {"--mca", "plm_rsh_agent", "true"});
  for (const auto& [name, value] : launch.variables) append(words, {"-x", concat(name, "=", value)});
  append(words, program_words(launch));
  return words;
}

Words hydra_line(const Launcher& launcher, const Launch& launch) {
  Words words = launcher.words, hosts;
  append(words, {"-n", concat(launch.rank_count)});
  for (const Host& host : launch.hosts) hosts.push_back(concat(host.name, ":", host.slots));
  if (!hosts.empty()) append(words, {"-hosts", join(hosts, ",")});
  for (const auto& [name, value] : launch.variables) append(words, {"-env", name, value});
  append(words, program_words(launch));
  return words;
}

// Commas end a value of --export, and lists of GPUs have some: the values follow it as words of env.
Words slurm_line(const Launcher& launcher, const Launch& launch) {
  Words words = launcher.words, hosts;
  append(words, {"-n", concat(launch.rank_count), "--export=ALL"});
  for (const Host& host : launch.hosts) hosts.push_back(host.name);
  if (!hosts.empty()) append(words, {concat("--nodelist=", join(hosts, ","))});
  append(words, environment_words(launch.variables));
  append(words, program_words(launch));
  return words;
}

bool mentions(const Launcher& launcher, const std::string& placeholder) {
  return std::any_of(launcher.words.begin(), launcher.words.end(),
                     [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

Words template_line(const Launcher& launcher, const Launch& launch) {
  bool places_environment = mentions(launcher, "{environment}");
  Words words;
  for (const std::string& word : launcher.words) {
    bool is_program = word == "{program}";
    if (word == "{environment}" || (is_program && !places_environment))
      append(words, environment_words(launch.variables));
    if (is_program) append(words, program_words(launch));
    if (is_program || word == "{environment}") continue;
    std::string filled = replace_all(word, "{ranks}", concat(launch.rank_count));
    words.push_back(replace_all(filled, "{hosts}", launch.hosts_file.string()));
  }
  return words;
}

bool has_word(const Launcher& launcher, const std::string& word) {
  return std::find(launcher.words.begin(), launcher.words.end(), word) != launcher.words.end();
}

Status check_template(const Launcher& launcher, const Launch& launch) {
  std::string line = concat("launcher '", join(launcher.words, " "), "'");
  for (const char* needed : {"{environment}", "{program}"})
    if (mentions(launcher, needed) && !has_word(launcher, needed))
      return Error{concat(line, ": ", needed, " must be a word of its own")};
  if (!has_word(launcher, "{program}")) return Error{line + " has no {program}, where the ranks' program goes"};
  if (!mentions(launcher, "{ranks}")) return Error{line + " has no {ranks}, the number of ranks"};
  if (mentions(launcher, "{hosts}") && launch.hosts.empty())
    return Error{line + " has {hosts}, but no hosts file is given (--hosts FILE)"};
  if (!mentions(launcher, "{hosts}") && !launch.hosts.empty())
    return Error{line + " has no {hosts}, where the name of the hosts file goes"};
  return Done{};
}

}  // namespace

Result<Launcher> find_launcher(const std::string& line, ProcessRunner& processes, const Environment& environment) {
  Words words = words_of(line.empty() ? environment.variable("CUCO_LAUNCHER").value_or("") : line);
  if (!words.empty()) return Launcher{LauncherKind::Template, words};
  for (const char* program : {"mpirun", "mpiexec", "srun"})
    if (std::optional<Launcher> found = launcher_named(program, processes)) return *found;
  return Error{
      "nothing here starts ranks: neither mpirun nor mpiexec of Open MPI or MPICH, nor srun, is on PATH; "
      "apt-get install openmpi-bin, or give a line (--launcher 'START -n {ranks} {environment} {program}')"};
}

Status check_launch(const Launcher& launcher, const Launch& launch) {
  return launcher.kind == LauncherKind::Template ? check_template(launcher, launch) : Done{};
}

std::vector<std::string> launch_line(const Launcher& launcher, const Launch& launch) {
  switch (launcher.kind) {
    case LauncherKind::OpenMpi:
      return open_mpi_line(launcher, launch);
    case LauncherKind::Hydra:
      return hydra_line(launcher, launch);
    case LauncherKind::Slurm:
      return slurm_line(launcher, launch);
    case LauncherKind::Template:
      break;
  }
  return template_line(launcher, launch);
}

std::vector<std::string> line_on_host(const Launcher& launcher, const std::string& host) {
  Words words = launcher.words;
  switch (launcher.kind) {
    case LauncherKind::OpenMpi:
      if (geteuid() == 0) words.push_back("--allow-run-as-root");
      append(words, {"--host", host, "-n", "1"});
      return words;
    case LauncherKind::Hydra:
      append(words, {"-hosts", host, "-n", "1"});
      return words;
    case LauncherKind::Slurm:
      append(words, {"--nodelist=" + host, "-n", "1"});
      return words;
    case LauncherKind::Template:
      break;
  }
  return {};
}

Variables merged(Variables first, const Variables& later) {
  for (const auto& [name, value] : later) {
    auto same = std::find_if(first.begin(), first.end(), [&](const auto& each) { return each.first == name; });
    if (same == first.end())
      first.emplace_back(name, value);
    else
      same->second = value;
  }
  return first;
}

}  // namespace cuco::gpu
