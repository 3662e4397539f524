#include "evaluate/sandbox.h"

#include <algorithm>

#include "base/text.h"
#include "evaluate/system_calls.h"

namespace cuco::evaluate {

namespace {

constexpr uint64_t kTemporaryBytes = uint64_t{512} << 20;
constexpr uint64_t kFileBytes = uint64_t{1} << 30;
constexpr uint32_t kOpenFiles = 256;
constexpr uint32_t kCompilerProcesses = 32;
constexpr uint32_t kProgramProcesses = 4;  // Bubblewrap itself is two.
constexpr uint32_t kLauncherProcesses = 16;
constexpr uint32_t kProcessesOfARank = 4;
constexpr uint32_t kOpenFilesOfRanks = 65536;  // Drivers and MPI open a few for every peer and every mapping.
constexpr int kProbeMsMax = 10'000;

// Of /etc only what the linker, the loader and alternatives of compilers need: no accounts, no hosts, no keys.
const std::vector<std::string>& system_mounts() {
  static const std::vector<std::string> mounts = {
      "--ro-bind",
      "/usr",
      "/usr",
      "--ro-bind-try",
      "/lib",
      "/lib",
      "--ro-bind-try",
      "/lib64",
      "/lib64",
      "--ro-bind-try",
      "/bin",
      "/bin",
      "--ro-bind-try",
      "/sbin",
      "/sbin",
      "--ro-bind-try",
      "/etc/alternatives",
      "/etc/alternatives",
      "--ro-bind-try",
      "/etc/ld.so.cache",
      "/etc/ld.so.cache",
      "--dev",
      "/dev",
  };
  return mounts;
}

uint32_t process_count_max(const SandboxRequest& request) {
  switch (request.confinement) {
    case Confinement::Compiler:
      return kCompilerProcesses;
    case Confinement::Program:
      return kProgramProcesses;
    case Confinement::Ranks:
      return kLauncherProcesses + kProcessesOfARank * request.rank_count;
  }
  return 0;
}

ProcessLimits limits_for(const SandboxRequest& request) {
  bool is_program = request.confinement == Confinement::Program;
  ProcessLimits limits;
  limits.processor_s = request.processor_s;
  limits.file_bytes = kFileBytes;
  limits.open_files = request.confinement == Confinement::Ranks ? kOpenFilesOfRanks : kOpenFiles;
  limits.resident_bytes = request.memory_bytes;
  limits.process_count = process_count_max(request);
  limits.folder = request.writable;
  limits.folder_bytes = request.written_bytes;
  limits.scrub_environment = true;
  // The runner would otherwise start itself again, through /proc, to get the same addresses in every run.
  limits.fix_addresses = is_program;
  if (is_program && request.bubblewrap) limits.inherited = system_call_filter();
  return limits;
}

template <typename... Words>
void append(std::vector<std::string>& command, const Words&... words) {
  (command.push_back(words), ...);
}

// Ranks share memory with each other and with the MPS daemon, which lives outside; the driver and NCCL read what /proc
// and /sys say about the machine. They reach each other through the loopback of a network of their own.
void append_namespaces(const SandboxRequest& request, std::vector<std::string>& words) {
  if (request.confinement == Confinement::Ranks)
    append(words, "--unshare-user-try", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try");
  else
    append(words, "--unshare-all");
}

void append_machine(const SandboxRequest& request, std::vector<std::string>& words) {
  if (!request.temporary.empty()) append(words, "--bind", request.temporary.string(), "/tmp");
  if (request.confinement != Confinement::Ranks) return append(words, "--setenv", "TMPDIR", request.writable.string());
  append(words, "--proc", "/proc", "--ro-bind-try", "/sys", "/sys", "--bind", "/dev/shm", "/dev/shm");
  // Open MPI dies without a home, and its settings say how ranks are placed.
  append(words, "--setenv", "HOME", "/tmp", "--ro-bind-try", "/etc/openmpi", "/etc/openmpi");
  append(words, "--size", std::to_string(kTemporaryBytes), "--tmpfs", "/tmp");
  for (const std::filesystem::path& device : request.devices)
    append(words, "--dev-bind-try", device.string(), device.string());
}

// Bubblewrap makes / and /dev as file systems in memory that nothing limits: once all is mounted, nobody writes there.
void close_root(std::vector<std::string>& words) { append(words, "--remount-ro", "/dev", "--remount-ro", "/"); }

bool is_in_system(const std::filesystem::path& path) {
  return *std::next(path.begin()) == "usr" || *std::next(path.begin()) == "lib" || *std::next(path.begin()) == "bin";
}

// What lies in a folder that is there already cannot be mounted a second time when a symbolic link leads to it: the
// link is there too, and only what it leads to may be missing.
void append_readable(const std::filesystem::path& path, std::vector<std::string>& words) {
  std::filesystem::path real = std::filesystem::weakly_canonical(path);
  for (const std::filesystem::path& each : {real, path})
    if (each.is_absolute() && each.has_relative_path() && !is_in_system(each))
      append(words, "--ro-bind-try", real.string(), each.string());
}

void append_without_hidden(const std::filesystem::path& folder, std::vector<std::string>& words) {
  append_readable(folder, words);
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with('.')) continue;
    if (entry->is_symlink(failure)) continue;  // What it leads to is not there, or is readable in its own right.
    if (entry->is_directory(failure))
      append(words, "--tmpfs", entry->path().string(), "--remount-ro", entry->path().string());
    else
      append(words, "--ro-bind", "/dev/null", entry->path().string());
  }
}

}  // namespace

std::vector<std::string> sandbox_command(const SandboxRequest& request, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"bwrap"};
  append_namespaces(request, words);
  append(words, "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", "cuco");
  append(words, "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8");
  words.insert(words.end(), system_mounts().begin(), system_mounts().end());
  append_machine(request, words);
  for (const std::filesystem::path& path : request.readable) append_readable(path, words);
  for (const std::filesystem::path& path : request.readable_without_hidden) append_without_hidden(path, words);
  for (const std::filesystem::path& path : request.shared) append(words, "--bind", path.string(), path.string());
  append(words, "--bind", request.writable.string(), request.writable.string());
  close_root(words);
  append(words, "--chdir", (request.current.empty() ? request.writable : request.current).string());
  if (request.confinement == Confinement::Program && !system_call_filter().empty())
    append(words, "--seccomp", std::to_string(kInheritedDescriptor));
  append(words, "--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::filesystem::path> gpu_devices() {
  std::vector<std::filesystem::path> devices;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry("/dev", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with("nvidia") || name == "infiniband") devices.push_back(entry->path());
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

Sandbox::Sandbox(SandboxRequest request) : request_(std::move(request)), processes_(limits_for(request_)) {}

Result<ProcessOutput> Sandbox::run(const std::vector<std::string>& arguments, int timeout_ms,
                                   const std::string& input) {
  if (!request_.bubblewrap) return processes_.run(arguments, timeout_ms, input);
  Result<ProcessOutput> output = processes_.run(sandbox_command(request_, arguments), timeout_ms, input);
  if (output) return output;
  // What was stopped is the program, not bubblewrap.
  std::string message = output.error().message;
  if (message.starts_with("bwrap:")) message.replace(0, 5, arguments[0]);
  return Error{message};
}

Status check_sandbox(ProcessRunner& processes) {
  const char* choice = "; give --no-sandbox to run programs without it";
  Result<ProcessOutput> run =
      processes.run({"bwrap", "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true"}, kProbeMsMax);
  if (!run) return Error{concat("there is no sandbox: bwrap is missing (apt-get install bubblewrap)", choice)};
  if (run->exit_code == 0) return Done{};
  return Error{concat("there is no sandbox: bubblewrap does not work here: ", trim(split(run->text, '\n')[0]), choice)};
}

}  // namespace cuco::evaluate
