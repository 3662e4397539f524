#include "evaluate/tools.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "vcluster/simulate.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

constexpr int kMpiProbeMsMax = 10'000;

fs::path find_nvcc(const Environment& environment) {
  if (std::optional<fs::path> path = environment.find_program("nvcc")) return *path;
  for (const std::string& home : {environment.variable("CUDA_HOME").value_or(""), std::string("/usr/local/cuda")})
    if (!home.empty() && environment.exists(fs::path(home) / "bin/nvcc")) return fs::path(home) / "bin/nvcc";
  return {};
}

// Open MPI lists its folders, MPICH shows its whole command.
std::vector<fs::path> mpi_include_folders(ProcessRunner& processes) {
  std::vector<fs::path> folders;
  Result<ProcessOutput> listed = processes.run({"mpicxx", "--showme:incdirs"}, kMpiProbeMsMax);
  if (listed && listed->exit_code == 0) {
    for (const std::string& folder : split(trim(listed->text), ' '))
      if (!folder.empty()) folders.emplace_back(folder);
    return folders;
  }
  Result<ProcessOutput> shown = processes.run({"mpicxx", "-show"}, kMpiProbeMsMax);
  if (!shown || shown->exit_code != 0) return {};
  for (const std::string& word : split(trim(shown->text), ' '))
    if (word.starts_with("-I")) folders.emplace_back(word.substr(2));
  return folders;
}

std::vector<fs::path> nccl_include_folders(const Environment& environment) {
  std::string home = environment.variable("NCCL_HOME").value_or("");
  fs::path folder = fs::path(home) / "include";
  if (home.empty() || !environment.exists(folder / "nccl.h")) return {};
  return {folder};
}

// Size and time of change: reading the contents would take longer than the whole of a cached evaluation.
std::string state_of(const fs::path& file) {
  std::error_code failure;
  uintmax_t bytes = fs::file_size(file, failure);
  auto changed = fs::last_write_time(file, failure).time_since_epoch().count();
  return concat(file.filename().string(), " ", bytes, " ", changed, "\n");
}

std::string state_of_folder(const fs::path& folder) {
  std::vector<std::string> states;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->is_regular_file(failure)) states.push_back(state_of(entry->path()));
  std::sort(states.begin(), states.end());
  return join(states, "");
}

}  // namespace

std::vector<fs::path> Tools::folders() const {
  std::error_code failure;
  return {runner.parent_path(), cost_plugin.parent_path(), share, fs::canonical(share / "device", failure),
          fs::canonical(share / "profiles", failure)};
}

bool Tools::has_header(const std::string& name, std::vector<fs::path> folders) const {
  folders.insert(folders.end(), {fs::path("/usr/include"), fs::path("/usr/local/include")});
  if (!nvcc.empty()) folders.push_back(fs::weakly_canonical(nvcc).parent_path().parent_path() / "include");
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) { return fs::exists(folder / name); });
}

std::string Tools::version() const {
  std::error_code failure;
  fs::path self = fs::read_symlink("/proc/self/exe", failure);
  std::string state;
  for (const fs::path& file : {self, runner, lower, cost_plugin, check_plugin}) state += state_of(file);
  state += concat(nvcc.string(), "\n", state_of_folder(share / "device" / ""));
  return sha256(state);
}

Result<Tools> find_tools(const fs::path& share, const Environment& environment) {
  Tools tools;
  tools.share = share;
  Result<fs::path> runner = vcluster::default_runner();
  if (!runner) return runner.error();
  Result<fs::path> costs = vcluster::default_cost_plugin();
  if (!costs) return costs.error();
  Result<fs::path> checks = vcluster::default_check_plugin();
  if (!checks) return checks.error();
  tools.runner = *runner;
  tools.cost_plugin = *costs;
  tools.check_plugin = *checks;
  tools.lower = runner->parent_path() / "cuco-lower";
  if (!fs::exists(tools.lower)) return Error{concat(tools.lower.string(), " is missing; build cuco again")};
  tools.nvcc = find_nvcc(environment);
  return tools;
}

std::vector<fs::path> library_include_folders(ProcessRunner& processes, const Environment& environment) {
  std::vector<fs::path> folders = mpi_include_folders(processes);
  for (const fs::path& folder : nccl_include_folders(environment)) folders.push_back(folder);
  return folders;
}

}  // namespace cuco::evaluate
