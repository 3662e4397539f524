#include "gpu/session/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/text.h"
#include "gpu/emulated_nic.h"
#include "gpu/nccl_library.h"
#include "gpu/session/checks.h"
#include "gpu/session/gpu_lock.h"
#include "gpu/session/marked_processes.h"
#include "gpu/session/mps.h"
#include "gpu/session/placement.h"
#include "gpu/session/variables.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kMarkName = "CUCO_SESSION";
constexpr auto kRecoveryMax = std::chrono::seconds(20);
constexpr auto kSessionPoll = std::chrono::milliseconds(200);

fs::path lock_folder(const SessionRequest& request) {
  return request.state_folder.empty() ? fs::path("/tmp/cuco-gpu") : request.state_folder / "locks";
}

fs::path mps_folder(const SessionRequest& request, const Environment& environment) {
  if (!request.state_folder.empty()) return request.state_folder / "mps";
  std::string runtime = environment.variable("XDG_RUNTIME_DIR").value_or("");
  return runtime.empty() ? fs::path(concat("/tmp/cuco-", geteuid())) : fs::path(runtime) / "cuco";
}

// Idle servers of other searches stay on the GPUs that they share; they do nothing while another one holds the lock.
bool is_mps_server(const ComputeProcess& process) {
  return process.name.find("nvidia-cuda-mps-server") != std::string::npos;
}

std::vector<std::string> uuids_of(const std::vector<Device>& devices) {
  std::vector<std::string> uuids;
  for (const Device& device : devices) uuids.push_back(device.uuid);
  return uuids;
}

}  // namespace

const char* to_text(Executor executor) { return executor == Executor::Mpi ? "mpi" : "one-gpu"; }

Hold::Hold(std::vector<FileLock> locks, double& seconds)
    : locks_(std::move(locks)), seconds_(&seconds), begin_(Clock::now()) {}

Hold::Hold(Hold&& other) noexcept
    : locks_(std::move(other.locks_)), seconds_(std::exchange(other.seconds_, nullptr)), begin_(other.begin_) {}

Hold::~Hold() {
  if (seconds_) *seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count();
}

// Ranks are ended first, then MPS is stopped, then the locks are free: members go in reverse order.
struct Session::State {
  SessionRequest request;
  ProcessRunner& processes;
  Launcher launcher;
  Launch launch;
  std::optional<NcclLibrary> nccl;
  std::optional<fs::path> nic;
  std::vector<Device> devices;
  std::vector<std::vector<ComputeProcess>> before;  // Per device: what ran there when the session began.
  std::vector<FileLock> locks;
  std::optional<Mps> mps;
  double held_s = 0;
  bool said_waiting = false;

  State(const SessionRequest& asked, ProcessRunner& runner) : request(asked), processes(runner) {}
  ~State() {
    end_ranks();
    // A server that goes takes time of the GPU, which others may be timing on.
    if (mps && request.lock_each_run && !processes_interrupted())
      if (Result<std::vector<FileLock>> taken = lock_devices()) locks = std::move(*taken);
  }

  // Tells the ranks of this object from those of all others on the machine. No part of what a run is recorded with.
  std::string mark() const { return concat(getpid(), "-", this); }
  void end_ranks() const { kill_marked(concat(kMarkName, "=", mark())); }

  Variables variables_with(const Variables& more) const {
    Variables variables = merged(launch.variables, more);
    variables.emplace_back(kMarkName, mark());
    return variables;
  }

  Status prepare_launch(const Environment& environment) {
    CUCO_TRY(launcher, find_launcher(request.launcher, processes, environment));
    launch.rank_count = request.rank_count;
    if (request.executor == Executor::OneGpu) launch.node_count = request.node_count;
    if (request.hosts.empty()) return check_launch(launcher, launch);
    Result<std::vector<Host>> hosts = read_hosts(request.hosts, environment);
    if (!hosts) return hosts.error();
    launch.hosts = *hosts;
    launch.hosts_file = fs::absolute(request.hosts);
    CUCO_CHECK(check_slots(*hosts, request.rank_count, request.hosts.string()));
    return check_launch(launcher, launch);
  }

  Status find_nic(const Environment& environment) {
    if (request.executor != Executor::OneGpu || request.node_count <= 1) return Done{};
    CUCO_TRY(nic, find_nic_plugin(environment));
    return Done{};
  }

  Status find_devices(const Environment& environment) {
    CUCO_TRY(devices, place_ranks(request, launcher, launch.hosts, processes, environment));
    for (const Device& device : devices) CUCO_CHECK(check_compute_mode(device, request.executor, environment));
    nccl = find_nccl_library(request.nccl_library, processes, environment);
    return request.executor == Executor::OneGpu ? check_sharing(devices[0], nccl, environment) : Done{};
  }

  // Searches that take turns wait again and again, which is worth one sentence.
  Result<std::vector<FileLock>> lock_devices() {
    auto say = [this](const std::string& what) {
      if (request.report && !(said_waiting && request.lock_each_run)) request.report(what);
      said_waiting = true;
    };
    return lock_gpus(lock_folder(request), uuids_of(devices), {request.lock_wait_s, say});
  }

  Status take_devices() {
    if (!request.lock_each_run) {
      CUCO_TRY(locks, lock_devices());
    }
    for (const Device& device : devices) before.push_back(running_on(device));
    return Done{};
  }

  Status start_mps(const Environment& environment) {
    if (request.executor != Executor::OneGpu) return Done{};
    CUCO_TRY(mps, Mps::start({mps_folder(request, environment), devices[0].uuid}, processes));
    return Done{};
  }

  void set_variables(const Environment& environment) {
    RankPlace place;
    bool all_here = request.executor == Executor::OneGpu || devices.size() == request.rank_count;
    if (all_here) place.device_uuids = uuids_of(devices);
    if (mps) place.mps_pipes = mps->pipe_folder();
    if (nic) place.nic_plugin = *nic;
    if (nccl && !nccl->by_loader) place.nccl_library = nccl->folder;
    launch.variables = session_variables(request, place, environment);
  }

  std::vector<ComputeProcess> running_on(const Device& device) const {
    Result<std::vector<ComputeProcess>> running = compute_processes(device, processes);
    return running ? *running : std::vector<ComputeProcess>();
  }

  // Empty when nothing but what was there before the session is.
  std::string left_on_devices() const {
    std::vector<std::string> left;
    for (size_t i = 0; i < devices.size(); ++i) {
      Result<std::vector<ComputeProcess>> running = compute_processes(devices[i], processes);
      if (!running) return running.error().message;
      for (const ComputeProcess& each : *running)
        if (std::find(before[i].begin(), before[i].end(), each) == before[i].end() &&
            !(request.lock_each_run && is_mps_server(each)))
          left.push_back(concat("process ", each.process, " (", each.name, ") is still on GPU ", devices[i].index));
    }
    return join(left, "; ");
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

// What costs nothing to find out comes before what others would have to wait for.
Result<Session> Session::open(const SessionRequest& request, ProcessRunner& processes, const Environment& environment) {
  std::unique_ptr<State> state(new State(request, processes));
  CUCO_CHECK(check_request(request));
  CUCO_CHECK(state->prepare_launch(environment));
  CUCO_CHECK(state->find_nic(environment));
  CUCO_CHECK(state->find_devices(environment));
  CUCO_CHECK(state->take_devices());
  CUCO_CHECK(state->start_mps(environment));
  state->set_variables(environment);
  return Session(std::move(state));
}

Result<Hold> Session::hold() {
  if (!state_->request.lock_each_run) return Hold({}, state_->held_s);
  CUCO_TRY(std::vector<FileLock> locks, state_->lock_devices());
  return Hold(std::move(locks), state_->held_s);
}

double Session::held_seconds() const { return state_->held_s; }

const std::vector<Device>& Session::devices() const { return state_->devices; }
const Variables& Session::variables() const { return state_->launch.variables; }
const std::optional<fs::path>& Session::nic_plugin() const { return state_->nic; }
uint32_t Session::ranks_sharing() const {
  const SessionRequest& request = state_->request;
  return request.executor == Executor::OneGpu ? request.rank_count / request.node_count : 0;
}

std::vector<std::string> Session::launch_command(const std::vector<std::string>& program,
                                                 const Variables& variables) const {
  Launch launch = state_->launch;
  launch.variables = state_->variables_with(variables);
  launch.program = program;
  return launch_line(state_->launcher, launch);
}

std::vector<std::string> Session::single_process_command(const std::vector<std::string>& program,
                                                         const Variables& variables) const {
  std::vector<std::string> words = {"env"};
  for (const auto& [name, value] : state_->variables_with(variables))
    if (name != kShareOfGpu) words.push_back(concat(name, "=", value));
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::vector<fs::path> Session::shared_folders() const {
  if (!state_->mps) return {};
  return {state_->mps->pipe_folder(), state_->mps->log_folder()};
}

Status Session::recover() {
  Clock::time_point deadline = Clock::now() + kRecoveryMax;
  state_->end_ranks();
  if (state_->mps) CUCO_CHECK(state_->mps->restart());
  std::string left = state_->left_on_devices();
  while (!left.empty() && Clock::now() < deadline) {
    std::this_thread::sleep_for(kSessionPoll);
    left = state_->left_on_devices();
  }
  if (left.empty()) return Done{};
  return Error{concat("the GPU is not usable again after ", kRecoveryMax.count(), " s: ", left)};
}

}  // namespace cuco::gpu
