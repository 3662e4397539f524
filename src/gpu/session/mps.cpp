#include "gpu/session/mps.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "gpu/session/file_lock.h"
#include "gpu/session/mps_processes.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCommandMsMax = 4'000;
constexpr int kQuitMsMax = 2'000;  // After `quit` has forced the servers out.
constexpr auto kMpsPoll = std::chrono::milliseconds(50);
constexpr size_t kSocketPathBytesMax = 107;
constexpr const char* kLongestSocket = "/control_privileged";

bool wait_until(const std::function<bool()>& holds, int limit_ms) {
  Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (!holds()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kMpsPoll);
  }
  return true;
}

// The control program takes its commands from standard input.
Result<ProcessOutput> tell(const fs::path& pipes, const std::string& command, ProcessRunner& processes) {
  return processes.run({"env", concat("CUDA_MPS_PIPE_DIRECTORY=", pipes.string()), "sh", "-c",
                        concat("echo ", command, " | nvidia-cuda-mps-control")},
                       kCommandMsMax);
}

bool answers(const fs::path& pipes, ProcessRunner& processes) {
  Result<ProcessOutput> run = tell(pipes, "get_server_list", processes);
  return run && run->exit_code == 0;
}

// `quit` alone would wait for clients; what does not go then, or cannot be told because cuco is being interrupted, is
// killed.
void stop_daemon(const fs::path& pipes, ProcessRunner& processes) {
  std::vector<pid_t> running = mps_processes_of(mps_daemon_of(pipes));
  (void)tell(pipes, "quit -t 1", processes);
  if (!processes_interrupted()) wait_until([&] { return !any_mps_runs(running); }, kQuitMsMax);
  kill_mps(running);
  wait_until([&] { return !any_mps_runs(running); }, kQuitMsMax);
}

bool is_home_of_daemon(const fs::path& folder) { return folder.filename().string().starts_with("m-"); }

// Whose owner lives keeps the lock.
void clear_stale(const fs::path& folder, ProcessRunner& processes) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (!is_home_of_daemon(at->path())) continue;
    Result<FileLock> owner = FileLock::open(at->path() / "owner");
    if (!owner || !owner->try_lock()) continue;
    stop_daemon(at->path() / "p", processes);
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
  }
}

Status check_length(const fs::path& home) {
  size_t bytes = (home / "p").string().size() + std::strlen(kLongestSocket);
  if (bytes <= kSocketPathBytesMax) return Done{};
  return Error{concat(home.string(), ": too long for the sockets of MPS, whose paths have ", kSocketPathBytesMax,
                      " bytes at most; set XDG_RUNTIME_DIR to a shorter folder")};
}

// Whoever owns the folder could put pipes of his own there.
Status make_private_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  if (mkdir(folder.c_str(), 0700) == 0) return Done{};
  if (errno != EEXIST) return Error{concat(folder.string(), ": cannot be made: ", std::strerror(errno))};
  struct stat found = {};
  if (lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid()) return Done{};
  return Error{concat(folder.string(), ": is not a folder of yours, which the pipes of MPS need")};
}

Result<fs::path> make_home(const fs::path& folder) {
  std::string pattern = (folder / "m-XXXXXX").string();
  CUCO_CHECK(check_length(pattern));
  if (mkdtemp(pattern.data()) == nullptr)
    return Error{concat(pattern, ": no folder for MPS can be made there: ", std::strerror(errno))};
  for (const char* part : {"p", "l"})
    if (mkdir((fs::path(pattern) / part).c_str(), 0700) != 0)
      return Error{concat(pattern, "/", part, ": cannot be made: ", std::strerror(errno))};
  return fs::path(pattern);
}

std::string last_lines(const fs::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) return {};
  std::vector<std::string> lines = split(trim(*text), '\n');
  size_t begin = lines.size() > 2 ? lines.size() - 2 : 0;
  return squeeze(join({lines.begin() + static_cast<ptrdiff_t>(begin), lines.end()}, "; "));
}

}  // namespace

struct Mps::State {
  MpsRequest request;
  ProcessRunner& processes;
  fs::path home;
  FileLock owner;

  fs::path pipes() const { return home / "p"; }
  fs::path logs() const { return home / "l"; }

  // The daemon keeps what it was given as output open, and whoever reads that would wait for its end.
  std::vector<std::string> start_command() const {
    return {"env",
            concat("CUDA_MPS_PIPE_DIRECTORY=", pipes().string()),
            concat("CUDA_MPS_LOG_DIRECTORY=", logs().string()),
            concat("CUDA_VISIBLE_DEVICES=", request.device_uuid),
            "sh",
            "-c",
            "exec nvidia-cuda-mps-control -d >\"$CUDA_MPS_LOG_DIRECTORY/start.log\" 2>&1"};
  }

  Status start() {
    Result<ProcessOutput> run = processes.run(start_command(), kCommandMsMax);
    if (!run) return Error{concat("MPS cannot be started: ", run.error().message)};
    bool ready = run->exit_code == 0 && wait_until([&] { return answers(pipes(), processes); }, request.answer_ms_max);
    if (ready) return Done{};
    std::string said = last_lines(logs() / "start.log");
    if (said.empty()) said = last_lines(logs() / "control.log");
    return Error{concat("MPS does not start (nvidia-cuda-mps-control -d, exit code ", run->exit_code, ")",
                        said.empty() ? "" : ": ", said)};
  }

  ~State() {
    stop_daemon(pipes(), processes);
    std::error_code ignored;
    fs::remove_all(home, ignored);
  }
};

Mps::Mps(std::unique_ptr<State> state) : state_(std::move(state)) {}
Mps::Mps(Mps&&) noexcept = default;
Mps& Mps::operator=(Mps&&) noexcept = default;
Mps::~Mps() = default;

Result<Mps> Mps::start(const MpsRequest& request, ProcessRunner& processes) {
  CUCO_CHECK(make_private_folder(request.folder));
  // Held while a home has no owner yet, so that nobody takes it for a stale one.
  CUCO_TRY(FileLock folder_lock, FileLock::open(request.folder / "lock"));
  CUCO_CHECK(folder_lock.lock());
  clear_stale(request.folder, processes);
  CUCO_TRY(fs::path home, make_home(request.folder));
  CUCO_TRY(FileLock owner, FileLock::open(home / "owner"));
  CUCO_CHECK(owner.lock());
  std::unique_ptr<State> state(new State{request, processes, home, std::move(owner)});
  CUCO_CHECK(state->start());
  return Mps(std::move(state));
}

Status Mps::restart() {
  stop_daemon(state_->pipes(), state_->processes);
  return state_->start();
}

fs::path Mps::pipe_folder() const { return state_->pipes(); }
fs::path Mps::log_folder() const { return state_->logs(); }

int foreign_mps(const fs::path& pipe_folder) {
  for (const fs::path& folder : {pipe_folder, fs::path("/tmp/nvidia-mps")})
    if (pid_t daemon = folder.empty() ? 0 : mps_daemon_of(folder); daemon != 0) return daemon;
  return 0;
}

}  // namespace cuco::gpu
