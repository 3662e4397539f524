#include "base/process_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace cuco {

namespace fs = std::filesystem;

namespace {

uint64_t resident_bytes_of(pid_t process) {
  std::ifstream in(concat("/proc/", process, "/statm"));
  uint64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Of files on the file system `device` that the process has open and no folder has any more. CUDA, NCCL and MPI keep such
// files in shared memory; they are no files of the program.
uint64_t deleted_bytes_of(pid_t process, dev_t device) {
  constexpr uint64_t kUnit = 512;  // Of st_blocks.
  uint64_t sum = 0;
  std::error_code failure;
  for (fs::directory_iterator entry(concat("/proc/", process, "/fd"), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    struct stat status = {};
    bool is_there = stat(entry->path().c_str(), &status) == 0;
    if (is_there && S_ISREG(status.st_mode) && status.st_nlink == 0 && status.st_dev == device)
      sum += static_cast<uint64_t>(status.st_blocks) * kUnit;
  }
  return sum;
}

void add_use(pid_t process, dev_t device, ProcessUse& use) {
  use.process_count++;
  use.resident_bytes += resident_bytes_of(process);
  use.deleted_bytes += deleted_bytes_of(process, device);
  std::ifstream in(concat("/proc/", process, "/task/", process, "/children"));
  for (pid_t child; in >> child;) add_use(child, device, use);
}

}  // namespace

ProcessUse use_of(pid_t root, const fs::path& folder) {
  struct stat status = {};
  ProcessUse use;
  add_use(root, stat(folder.c_str(), &status) == 0 ? status.st_dev : 0, use);
  return use;
}

uint64_t bytes_in(const fs::path& folder) {
  constexpr uint64_t kEntryBytes = 4096;  // What an empty file or folder takes, so that they cannot be without number.
  uint64_t sum = 0;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  while (!failure && entry != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    uintmax_t bytes = entry->symlink_status(vanished).type() == fs::file_type::regular ? entry->file_size(vanished) : 0;
    sum += std::max<uint64_t>(vanished ? 0 : bytes, kEntryBytes);
    entry.increment(failure);
  }
  // Files come and go while they are counted. What cannot be looked into for another reason was made so on purpose.
  bool is_hidden = failure && failure != std::errc::no_such_file_or_directory;
  return is_hidden ? UINT64_MAX : sum;
}

std::string passed_limit(pid_t root, const ProcessLimits& limits) {
  if (limits.resident_bytes == 0 && limits.process_count == 0 && limits.folder_bytes == 0) return "";
  ProcessUse use = use_of(root, limits.folder);
  if (limits.resident_bytes > 0 && use.resident_bytes > limits.resident_bytes)
    return concat("more than ", limits.resident_bytes >> 20, " MiB of memory in use");
  if (limits.process_count > 0 && use.process_count > limits.process_count)
    return concat("more than ", limits.process_count, " processes");
  if (limits.folder_bytes == 0) return "";
  uint64_t kept_bytes = bytes_in(limits.folder);
  if (kept_bytes > limits.folder_bytes || use.deleted_bytes > limits.folder_bytes - kept_bytes)
    return concat("more than ", limits.folder_bytes >> 20, " MiB of files written");
  return "";
}

}  // namespace cuco
