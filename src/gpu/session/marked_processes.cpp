#include "gpu/session/marked_processes.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr int kAttempts = 50;
constexpr useconds_t kPollUs = 20'000;

bool is_marked(const fs::path& folder, const std::string& mark) {
  std::ifstream file(folder / "environ", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& entry : split(text, '\0'))
    if (entry == mark) return true;
  return false;
}

}  // namespace

std::vector<pid_t> processes_marked(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code failure;
  for (fs::directory_iterator at("/proc", failure), end; !failure && at != end; at.increment(failure)) {
    std::string name = at->path().filename().string();
    pid_t process = 0;
    std::from_chars(name.data(), name.data() + name.size(), process);
    if (process > 1 && process != getpid() && is_marked(at->path(), mark)) found.push_back(process);
  }
  return found;
}

void kill_marked(const std::string& mark) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<pid_t> running = processes_marked(mark);
    if (running.empty()) return;
    for (pid_t process : running) kill(process, SIGKILL);
    usleep(kPollUs);
  }
}

}  // namespace cuco::gpu
