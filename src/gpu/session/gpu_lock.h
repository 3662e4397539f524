// One lock per GPU, for all processes of all users of this machine: two evaluations never share a GPU while timing.
//
// The lock of a GPU is that of FOLDER/UUID.lock. Its text is for people: process, time of taking it and command, a line
// each; it means nothing while the lock is free.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/session/file_lock.h"

namespace cuco::gpu {

struct LockWait {
  int limit_s = 600;
  std::function<void(const std::string&)> report;  // Called once a GPU, with who holds it, when there is a wait.
};

// The folder is made, for everybody, when it is not there. An error names the holder.
Result<FileLock> lock_gpu(const std::filesystem::path& folder, const std::string& uuid, const LockWait& wait);

// In the order of their names, so that two that want the same GPUs cannot wait for each other.
Result<std::vector<FileLock>> lock_gpus(const std::filesystem::path& folder, std::vector<std::string> uuids,
                                        const LockWait& wait);

}  // namespace cuco::gpu
