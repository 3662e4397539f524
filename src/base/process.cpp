#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/text.h"

extern char** environ;

namespace cuco {

namespace {

using Clock = std::chrono::steady_clock;

struct SpawnedProcess {
  pid_t pid;
  int output_fd;
};

Result<SpawnedProcess> spawn(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{concat("pipe: ", std::strerror(errno))};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that a timeout also ends what the program started. SIGPIPE, which cuco ignores, is given
  // back.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  int failure = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return Error{concat(arguments[0], ": ", std::strerror(failure))};
  }
  return SpawnedProcess{pid, ends[0]};
}

constexpr size_t kTextBytesMax = 64u << 20;  // What a process writes beyond is read and forgotten.

// False when the deadline passed before the output ended.
bool drain(int fd, Clock::time_point deadline, std::string& text) {
  char chunk[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got <= 0) return true;
    if (text.size() < kTextBytesMax) text.append(chunk, static_cast<size_t>(got));
  }
}

// False when the deadline passed before the process ended: one can close its output and live on.
bool wait_for_end(pid_t pid, Clock::time_point deadline) {
  siginfo_t ended{};
  while (Clock::now() < deadline) {
    if (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ProcessOutput> RealProcessRunner::run(const std::vector<std::string>& arguments, int timeout_ms) {
  CUCO_ASSERT(!arguments.empty());
  Result<SpawnedProcess> process = spawn(arguments);
  if (!process) return process.error();
  ProcessOutput output;
  Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  bool ended = drain(process->output_fd, deadline, output.text) && wait_for_end(process->pid, deadline);
  close(process->output_fd);
  if (!ended) kill(-process->pid, SIGKILL);
  output.exit_code = reap(process->pid);
  if (!ended) return Error{concat(arguments[0], ": no end after ", timeout_ms, " ms")};
  return output;
}

}  // namespace cuco
