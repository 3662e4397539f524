#include "gpu/session/mps_processes.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

#include "base/text.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNamePrefix = "nvidia-cuda-mps";  // The kernel keeps 15 bytes of a name.

struct ProcessLine {
  std::string name;
  char state = 'X';
  pid_t parent = 0;
};

// "12 (name) S 1 ...": the name may hold blanks and brackets, so its end is searched from behind.
ProcessLine read_process(pid_t process) {
  std::ifstream file(concat("/proc/", process, "/stat"));
  std::string line;
  std::getline(file, line);
  size_t begin = line.find('('), end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 4 > line.size()) return {};
  ProcessLine read;
  read.name = line.substr(begin + 1, end - begin - 1);
  read.state = line[end + 2];
  read.parent = static_cast<pid_t>(std::atoi(line.c_str() + end + 4));
  return read;
}

// A number can have been given to another program meanwhile; a zombie holds nothing.
bool is_mps(pid_t process) {
  ProcessLine read = read_process(process);
  return read.name.starts_with(kNamePrefix) && read.state != 'Z' && read.state != 'X';
}

pid_t process_number(const std::string& name) {
  pid_t number = 0;
  auto [stop, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failure == std::errc() && stop == name.data() + name.size() ? number : 0;
}

}  // namespace

pid_t mps_daemon_of(const fs::path& pipe_folder) {
  std::ifstream file(pipe_folder / "nvidia-cuda-mps-control.pid");
  pid_t process = 0;
  if (!(file >> process) || process <= 1) return 0;
  return is_mps(process) ? process : 0;
}

std::vector<pid_t> mps_processes_of(pid_t daemon) {
  if (daemon == 0) return {};
  std::vector<pid_t> processes = {daemon};
  std::error_code failure;
  for (fs::directory_iterator at("/proc", failure), end; !failure && at != end; at.increment(failure)) {
    pid_t process = process_number(at->path().filename().string());
    if (process != 0 && is_mps(process) && read_process(process).parent == daemon) processes.push_back(process);
  }
  return processes;
}

bool any_mps_runs(const std::vector<pid_t>& processes) {
  return std::any_of(processes.begin(), processes.end(), is_mps);
}

void kill_mps(const std::vector<pid_t>& processes) {
  for (pid_t process : processes)
    if (is_mps(process)) kill(process, SIGKILL);
}

}  // namespace cuco::gpu
