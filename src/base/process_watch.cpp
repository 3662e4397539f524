#include "base/process_watch.h"

#include <unistd.h>

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

void add_use(pid_t process, ProcessUse& use) {
  use.process_count++;
  use.resident_bytes += resident_bytes_of(process);
  std::ifstream in(concat("/proc/", process, "/task/", process, "/children"));
  for (pid_t child; in >> child;) add_use(child, use);
}

}  // namespace

ProcessUse use_of(pid_t root) {
  ProcessUse use;
  add_use(root, use);
  return use;
}

// Files come and go while they are counted.
uint64_t bytes_in(const fs::path& folder) {
  uint64_t sum = 0;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  while (!failure && entry != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    if (entry->is_regular_file(vanished) && !entry->is_symlink(vanished)) {
      uintmax_t bytes = entry->file_size(vanished);
      if (!vanished) sum += bytes;
    }
    entry.increment(failure);
  }
  return sum;
}

std::string passed_limit(pid_t root, const ProcessLimits& limits) {
  if (limits.resident_bytes > 0 || limits.process_count > 0) {
    ProcessUse use = use_of(root);
    if (limits.resident_bytes > 0 && use.resident_bytes > limits.resident_bytes)
      return concat("more than ", limits.resident_bytes >> 20, " MiB of memory in use");
    if (limits.process_count > 0 && use.process_count > limits.process_count)
      return concat("more than ", limits.process_count, " processes");
  }
  if (limits.folder_bytes > 0 && bytes_in(limits.folder) > limits.folder_bytes)
    return concat("more than ", limits.folder_bytes >> 20, " MiB of files written");
  return "";
}

}  // namespace cuco
