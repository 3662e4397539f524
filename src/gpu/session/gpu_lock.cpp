#include "gpu/session/gpu_lock.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/process.h"
#include "base/text.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLockPoll = std::chrono::milliseconds(50);
constexpr mode_t kSharedFolder = 01777;  // Anybody may make files there, only their owners may remove them.
constexpr size_t kCommandBytesMax = 300;

Status make_lock_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  if (mkdir(folder.c_str(), kSharedFolder) == 0) {
    chmod(folder.c_str(), kSharedFolder);
    return Done{};
  }
  if (errno != EEXIST)
    return Error{concat(folder.string(), ": no folder for GPU locks can be made there: ", std::strerror(errno))};
  if (fs::is_directory(fs::symlink_status(folder, ignored))) return Done{};
  return Error{concat(folder.string(), ": is no folder; GPU locks belong there")};
}

std::string own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\0', ' ');
  return squeeze(text).substr(0, kCommandBytesMax);
}

std::string time_of_day() {
  std::time_t seconds = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc)};
}

std::string holder_of(const FileLock& lock) {
  std::vector<std::string> lines = split(lock.text(), '\n');
  if (lines.size() < 3) return "another process";
  return concat("process ", lines[0], " since ", lines[1], " (", lines[2], ")");
}

Status take(FileLock& lock, const std::string& uuid, const LockWait& wait) {
  Clock::time_point deadline = Clock::now() + std::chrono::seconds(wait.limit_s);
  bool reported = false;
  while (!lock.try_lock()) {
    if (processes_interrupted()) return Error{"interrupted while waiting for a GPU"};
    std::string holder = holder_of(lock);
    if (Clock::now() >= deadline)
      return Error{concat("GPU ", uuid, " is in use by ", holder, "; waited ", wait.limit_s, " s for it")};
    if (!reported && wait.report) wait.report(concat("waiting for GPU ", uuid, ", in use by ", holder));
    reported = true;
    std::this_thread::sleep_for(kLockPoll);
  }
  return Done{};
}

}  // namespace

Result<FileLock> lock_gpu(const fs::path& folder, const std::string& uuid, const LockWait& wait) {
  CUCO_CHECK(make_lock_folder(folder));
  CUCO_TRY(FileLock lock, FileLock::open(folder / (uuid + ".lock")));
  CUCO_CHECK(take(lock, uuid, wait));
  lock.set_text(concat(getpid(), "\n", time_of_day(), "\n", own_command(), "\n"));
  return lock;
}

Result<std::vector<FileLock>> lock_gpus(const fs::path& folder, std::vector<std::string> uuids, const LockWait& wait) {
  std::sort(uuids.begin(), uuids.end());
  std::vector<FileLock> locks;
  for (const std::string& uuid : uuids) {
    CUCO_TRY(FileLock lock, lock_gpu(folder, uuid, wait));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace cuco::gpu
