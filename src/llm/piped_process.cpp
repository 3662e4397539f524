#include "llm/piped_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.h"

extern char** environ;

namespace cuco::llm {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr int kPipePollMs = 50;

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read_end;
  Fd write_end;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Writing to a command that has closed its input must not kill cuco: the signal is held back, then taken away.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~PipeSignalGuard() {
    timespec none{};
    while (sigtimedwait(&set_, nullptr, &none) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t set_;
  sigset_t before_;
};

class Child {
 public:
  ~Child() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    reap();
  }

  Status start(const std::string& command, std::array<Pipe, 3>& pipes) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0].read_end.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1].write_end.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[2].write_end.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    std::array<char*, 4> argv = {const_cast<char*>("/bin/sh"), const_cast<char*>("-c"),
                                 const_cast<char*>(command.c_str()), nullptr};
    int failure = posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) pid_ = -1;
    return failure == 0 ? Status(Done{}) : Status(Error{concat("/bin/sh: ", std::strerror(failure))});
  }

  // The exit code, once the process has ended. What it left behind in its group is ended with it: it would hold the
  // outputs open.
  std::optional<int> ended() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_)
      return std::nullopt;
    kill(-pid_, SIGKILL);
    int status = reap();
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  pid_t pid_ = -1;
};

// The three streams of a running command; an end that is done is closed.
class Streams {
 public:
  Streams(std::array<Pipe, 3> pipes, std::string_view input, const PipeObserver& observer)
      : in_(std::move(pipes[0].write_end)),
        out_(std::move(pipes[1].read_end)),
        err_(std::move(pipes[2].read_end)),
        input_(input),
        observer_(observer) {
    fcntl(in_.get(), F_SETFL, O_NONBLOCK);
    if (input_.empty()) in_.reset();
  }

  bool outputs_open() const { return out_.open() || err_.open(); }

  void step(PipedOutput& output) {
    std::array<pollfd, 3> polled = {{{in_.get(), POLLOUT, 0}, {out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
    if (poll(polled.data(), polled.size(), kPipePollMs) <= 0) return;
    if (polled[0].revents != 0) write_some();
    if (polled[1].revents != 0) read_some(out_, output.out, true);
    if (polled[2].revents != 0) read_some(err_, output.err, false);
  }

 private:
  void write_some() {
    PipeSignalGuard guard;
    ssize_t written = write(in_.get(), input_.data(), input_.size());
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) return;
    input_.remove_prefix(written < 0 ? input_.size() : static_cast<size_t>(written));
    if (input_.empty()) in_.reset();
  }

  void read_some(Fd& fd, std::string& text, bool reply) {
    char chunk[65536];
    ssize_t got = read(fd.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return fd.reset();
    text.append(chunk, static_cast<size_t>(got));
    if (reply) observer_.on_out(std::string_view(chunk, static_cast<size_t>(got)));
  }

  Fd in_;
  Fd out_;
  Fd err_;
  std::string_view input_;
  const PipeObserver& observer_;
};

}  // namespace

Result<PipedOutput> run_piped(const std::string& command, std::string_view input, int64_t timeout_ms,
                              const PipeObserver& observer) {
  std::array<Pipe, 3> pipes;
  for (Pipe& pipe : pipes) {
    std::optional<Pipe> made = make_pipe();
    if (!made) return Error{concat("pipe: ", std::strerror(errno))};
    pipe = std::move(*made);
  }
  Child child;
  CUCO_CHECK(child.start(command, pipes));
  for (Fd* theirs : {&pipes[0].read_end, &pipes[1].write_end, &pipes[2].write_end}) theirs->reset();
  Streams streams(std::move(pipes), input, observer);
  auto deadline = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  PipedOutput output;
  std::optional<int> exit_code;
  while (!exit_code || streams.outputs_open()) {
    if (observer.cancelled()) return Error{"the call was cancelled"};
    if (SteadyClock::now() > deadline) return Error{concat("`", command, "` gave no reply within ", timeout_ms, " ms")};
    streams.step(output);
    if (!exit_code) exit_code = child.ended();
  }
  output.exit_code = *exit_code;
  return output;
}

}  // namespace cuco::llm
