#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/environment.h"
#include "base/printable.h"
#include "base/process_watch.h"
#include "base/text.h"

extern char** environ;

namespace cuco {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWatchMs = 20;
constexpr size_t kInputBytesMax = 1u << 20;    // What a pipe can be made to hold without privileges.
constexpr size_t kOutputBytesMax = 16u << 20;  // More is read and forgotten: a program may print without end.

std::atomic<bool> interrupted{false};

struct SpawnedProcess {
  pid_t pid;
  int output_fd;
};

// Everything that the child needs, made before the fork: other threads may hold the allocator's lock during it.
struct Launch {
  std::string program;
  std::vector<char*> argv;
  std::vector<char*> environment;
  int output_fd = -1;
  int failure_fd = -1;
  int inherited_fd = -1;
  int input_fd = -1;
  pid_t parent = getpid();
};

void limit(__rlimit_resource resource, uint64_t value) {
  if (value == 0) return;
  rlimit both = {value, value};
  setrlimit(resource, &both);
}

void apply(const ProcessLimits& limits) {
  rlimit none = {0, 0};
  if (limits.file_bytes > 0) setrlimit(RLIMIT_CORE, &none);
  limit(RLIMIT_CPU, limits.processor_s);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, limits.open_files);
  if (limits.fix_addresses) personality(ADDR_NO_RANDOMIZE);
}

void open_descriptors(const Launch& launch) {
  dup2(launch.input_fd, STDIN_FILENO);
  dup2(launch.output_fd, STDOUT_FILENO);
  dup2(launch.output_fd, STDERR_FILENO);
  if (launch.inherited_fd >= 0) dup2(launch.inherited_fd, kInheritedDescriptor);
}

// In the child, where only calls that are safe after a fork are allowed.
[[noreturn]] void become(const Launch& launch, const ProcessLimits& limits) {
  // A group of its own, so that a timeout also ends what the program started; however cuco ends, the program does too.
  // SIGPIPE, which cuco ignores, is given back.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(126);
  signal(SIGPIPE, SIG_DFL);
  open_descriptors(launch);
  apply(limits);
  execve(launch.program.c_str(), launch.argv.data(), launch.environment.data());
  int failure = errno;
  ssize_t written = write(launch.failure_fd, &failure, sizeof failure);
  _exit(written == sizeof failure ? 127 : 126);
}

int descriptor_with(const std::string& content) {
  if (content.empty()) return -1;
  // Above the descriptors that the child is given.
  int made = memfd_create("inherited", MFD_CLOEXEC);
  int fd = fcntl(made, F_DUPFD_CLOEXEC, kInheritedDescriptor + 1);
  close(made);
  if (write(fd, content.data(), content.size()) != static_cast<ssize_t>(content.size())) return -1;
  lseek(fd, 0, SEEK_SET);
  return fd;
}

Result<std::string> program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  if (std::optional<std::filesystem::path> found = RealEnvironment().find_program(name)) return found->string();
  return Error{concat(name, ": ", std::strerror(ENOENT))};
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_for(const ProcessLimits& limits) {
  if (limits.scrub_environment) return {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; entry++) all.emplace_back(*entry);
  return all;
}

struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    for (int end : ends)
      if (end >= 0) close(end);
  }
  void close_writer() { close(std::exchange(ends[1], -1)); }
  int take_reader() { return std::exchange(ends[0], -1); }
};

// The error number that exec left in the pipe; 0 when it succeeded and so closed the pipe.
int exec_failure(const Pipe& pipe) {
  int failure = 0;
  ssize_t got = 0;
  while ((got = read(pipe.ends[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  return got == sizeof failure ? failure : 0;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A pipe and not a file: what was read from it is gone, whoever else has it open.
bool fill(Pipe& pipe, const std::string& content) {
  if (pipe.ends[0] < 0) return false;
  if (!content.empty()) fcntl(pipe.ends[1], F_SETPIPE_SZ, static_cast<int>(kInputBytesMax));
  fcntl(pipe.ends[1], F_SETFL, O_NONBLOCK);
  bool whole = write(pipe.ends[1], content.data(), content.size()) == static_cast<ssize_t>(content.size());
  pipe.close_writer();
  return whole;
}

Result<SpawnedProcess> spawn(const std::vector<std::string>& arguments, const ProcessLimits& limits,
                             const std::string& content) {
  Pipe output, failed, input;
  if (output.ends[0] < 0 || failed.ends[0] < 0) return Error{concat("pipe: ", std::strerror(errno))};
  if (!fill(input, content)) return Error{concat(arguments[0], ": ", content.size(), " bytes of input do not fit")};
  Result<std::string> program = program_path(arguments[0]);
  if (!program) return program.error();
  std::vector<std::string> environment = environment_for(limits);
  Launch launch{*program,       pointers_to(arguments), pointers_to(environment),
                output.ends[1], failed.ends[1],         descriptor_with(limits.inherited),
                input.ends[0]};
  pid_t pid = fork();
  if (pid == 0) become(launch, limits);
  if (launch.inherited_fd >= 0) close(launch.inherited_fd);
  if (pid < 0) return Error{concat("fork: ", std::strerror(errno))};
  output.close_writer();
  failed.close_writer();
  if (int failure = exec_failure(failed); failure != 0) {
    reap(pid);
    return Error{concat(arguments[0], ": ", std::strerror(failure))};
  }
  return SpawnedProcess{pid, output.take_reader()};
}

// Why a process must be stopped, checked between waits for its output.
class Watch {
 public:
  Watch(pid_t pid, const ProcessLimits& limits, int timeout_ms)
      : pid_(pid), limits_(limits), timeout_ms_(timeout_ms), deadline_(Clock::now() + ms(timeout_ms)) {}

  std::string reason_to_stop() {
    if (interrupted) return "interrupted";
    if (Clock::now() >= deadline_) return concat("no end after ", timeout_ms_, " ms");
    if (Clock::now() < next_look_) return "";
    next_look_ = Clock::now() + ms(kWatchMs);
    return passed_limit(pid_, limits_);
  }

 private:
  static std::chrono::milliseconds ms(int count) { return std::chrono::milliseconds(count); }

  pid_t pid_;
  const ProcessLimits& limits_;
  int timeout_ms_;
  Clock::time_point deadline_;
  Clock::time_point next_look_;
};

// Until the output ends; otherwise why the process must be stopped.
std::string drain(int fd, Watch& watch, std::string& text) {
  char chunk[4096];
  while (true) {
    if (std::string reason = watch.reason_to_stop(); !reason.empty()) return reason;
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, kWatchMs) <= 0) continue;
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got <= 0) return "";
    text.append(chunk, std::min(static_cast<size_t>(got), kOutputBytesMax - text.size()));
  }
}

// Until the process ends: one can close its output and live on.
std::string wait_for_end(pid_t pid, Watch& watch) {
  siginfo_t ended{};
  while (true) {
    if (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid)
      return "";
    if (std::string reason = watch.reason_to_stop(); !reason.empty()) return reason;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Result<ProcessOutput> RealProcessRunner::run(const std::vector<std::string>& arguments, int timeout_ms,
                                             const std::string& input) {
  CUCO_ASSERT(!arguments.empty());
  if (interrupted) return Error{concat(arguments[0], ": interrupted")};
  Result<SpawnedProcess> process = spawn(arguments, limits_, input);
  if (!process) return process.error();
  ProcessOutput output;
  Watch watch(process->pid, limits_, timeout_ms);
  std::string stopped = drain(process->output_fd, watch, output.text);
  if (stopped.empty()) stopped = wait_for_end(process->pid, watch);
  close(process->output_fd);
  if (!stopped.empty()) kill(-process->pid, SIGKILL);
  output.exit_code = reap(process->pid);
  output.text = printable(output.text);
  if (!stopped.empty()) return Error{concat(arguments[0], ": ", stopped)};
  return output;
}

void interrupt_processes() { interrupted = true; }
bool processes_interrupted() { return interrupted; }

}  // namespace cuco
