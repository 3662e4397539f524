#include "store/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/files.h"
#include "base/text.h"

namespace cuco::store {

namespace fs = std::filesystem;

namespace {

fs::path lock_file_of(const fs::path& folder) { return folder / "lock"; }

// A lock of the open file, not of the process: whoever asks can see it without taking it, and it ends with the process
// however that ends.
struct flock whole_file() {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

LockHolder read_holder(const fs::path& folder) {
  LockHolder holder;
  Result<std::string> text = read_file(lock_file_of(folder));
  if (!text) return holder;
  std::vector<std::string> lines = split(*text, '\n');
  std::from_chars(lines[0].data(), lines[0].data() + lines[0].size(), holder.process);
  if (lines.size() > 1) holder.command = lines[1];
  return holder;
}

Error in_use(const fs::path& folder) {
  LockHolder holder = read_holder(folder);
  std::string who = holder.process == 0 ? "another process" : concat("process ", holder.process);
  std::string what = holder.command.empty() ? "" : concat(" (", holder.command, ")");
  return Error{concat("run folder ", folder.string(), " is in use by ", who, what)};
}

// Where a full disk leaves no room for it the lock holds all the same.
void write_holder(int lock, const std::string& command) {
  std::string text = concat(getpid(), "\n", squeeze(command), "\n");
  if (ftruncate(lock, 0) == 0) (void)!pwrite(lock, text.data(), text.size(), 0);
}

Error folder_error(const fs::path& folder, const std::string& what) {
  return Error{concat(folder.string(), ": ", what)};
}

}  // namespace

fs::path store_file_of(const fs::path& folder) { return folder / "campaign.sqlite"; }
fs::path log_file_of(const fs::path& folder) { return folder / "log.jsonl"; }
fs::path RunFolder::store_file() const { return store_file_of(path_); }
fs::path RunFolder::log_file() const { return log_file_of(path_); }

bool is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(store_file_of(folder), ignored);
}

Result<RunFolder> RunFolder::lock(const fs::path& folder, const std::string& command) {
  int descriptor = ::open(lock_file_of(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return folder_error(folder, concat("cannot be written: ", std::strerror(errno)));
  RunFolder locked(folder, descriptor);
  struct flock range = whole_file();
  if (fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
    bool taken = errno == EAGAIN || errno == EACCES;
    Error failure = taken ? in_use(folder) : folder_error(folder, concat("cannot be locked: ", std::strerror(errno)));
    close(std::exchange(locked.lock_, -1));
    return failure;
  }
  write_holder(descriptor, command);
  return locked;
}

Result<RunFolder> RunFolder::create(const fs::path& folder, const std::string& command) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return folder_error(folder, concat("cannot be made: ", failure.message()));
  Result<RunFolder> locked = lock(folder, command);
  if (locked && is_run(folder)) return folder_error(folder, "holds a run already");
  return locked;
}

Result<RunFolder> RunFolder::open(const fs::path& folder, const std::string& command) {
  if (!is_run(folder)) return folder_error(folder, "holds no run: there is no campaign.sqlite in it");
  return lock(folder, command);
}

Result<RunFolder> RunFolder::open_for_rebuild(const fs::path& folder, const std::string& command) {
  std::error_code ignored;
  if (!fs::exists(log_file_of(folder), ignored))
    return folder_error(folder, "holds no run: there is no log.jsonl in it");
  return lock(folder, command);
}

RunFolder::~RunFolder() {
  if (lock_ < 0) return;
  (void)!ftruncate(lock_, 0);
  close(lock_);
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

std::optional<LockHolder> lock_holder(const fs::path& folder) {
  int descriptor = ::open(lock_file_of(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock range = whole_file();
  bool held = fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  close(descriptor);
  if (!held) return std::nullopt;
  return read_holder(folder);
}

std::vector<fs::path> list_runs(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
    if (is_run(at->path())) runs.push_back(at->path());
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace cuco::store
