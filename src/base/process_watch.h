// What a process and all that descend from it use together, read from /proc.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/process.h"

namespace cuco {

struct ProcessUse {
  uint32_t process_count = 0;
  uint64_t resident_bytes = 0;
  uint64_t deleted_bytes = 0;  // Of files that are open and in no folder any more.
};

// Deleted files count where they are on the file system of `folder`.
ProcessUse use_of(pid_t root, const std::filesystem::path& folder);

// With a least size for every entry; without end where it cannot be told.
uint64_t bytes_in(const std::filesystem::path& folder);

// The limit that was passed, in words; empty while all hold.
std::string passed_limit(pid_t root, const ProcessLimits& limits);

}  // namespace cuco
