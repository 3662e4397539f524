#include "gpu/session/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/process.h"
#include "base/text.h"

namespace cuco::gpu {

namespace {

constexpr mode_t kForEverybody = 0666;
constexpr size_t kTextBytesMax = 1024;
constexpr std::chrono::milliseconds kLookEvery(20);

// In a folder where everybody may write, Linux forbids O_CREAT on a file of somebody else: so it comes second.
int open_or_make(const std::filesystem::path& file) {
  int existing = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (existing >= 0 || errno != ENOENT) return existing;
  int made = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kForEverybody);
  if (made < 0 && errno == EEXIST) return open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (made >= 0) fchmod(made, kForEverybody);
  return made;
}

}  // namespace

Result<FileLock> FileLock::open(const std::filesystem::path& file) {
  int descriptor = open_or_make(file);
  if (descriptor < 0) return Error{concat(file.string(), ": cannot be opened as a lock: ", std::strerror(errno))};
  return FileLock(descriptor);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileLock::try_lock() { return flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

Status FileLock::lock() {
  while (!try_lock()) {
    if (processes_interrupted()) return Error{"interrupted while waiting for a lock"};
    std::this_thread::sleep_for(kLookEvery);
  }
  return Done{};
}

std::string FileLock::text() const {
  char text[kTextBytesMax];
  ssize_t bytes = pread(descriptor_, text, sizeof text, 0);
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : std::string();
}

void FileLock::set_text(const std::string& text) {
  if (ftruncate(descriptor_, 0) == 0) (void)!pwrite(descriptor_, text.data(), text.size(), 0);
}

}  // namespace cuco::gpu
