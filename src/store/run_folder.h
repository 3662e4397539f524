// The folder of one run, what lies in it, and who works on it. One process at a time: the file `lock` is locked as long
// as it lives, and says in it its number and its command.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::store {

struct LockHolder {
  int process = 0;  // 0: not known.
  std::string command;
};

class RunFolder {
 public:
  // Makes the folder and those above it. One with a run in it, or in use, is an error.
  static Result<RunFolder> create(const std::filesystem::path& folder, const std::string& command);
  // One without a run, or in use, is an error: "run folder X is in use by process 123 (cuco optimize ...)".
  static Result<RunFolder> open(const std::filesystem::path& folder, const std::string& command);
  // Takes a folder with or without a database, to make that again from the log.
  static Result<RunFolder> open_for_rebuild(const std::filesystem::path& folder, const std::string& command);

  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path store_file() const;
  std::filesystem::path log_file() const;

 private:
  RunFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  static Result<RunFolder> lock(const std::filesystem::path& folder, const std::string& command);

  std::filesystem::path path_;
  int lock_;  // Descriptor; -1 when moved from.
};

std::filesystem::path store_file_of(const std::filesystem::path& folder);
std::filesystem::path log_file_of(const std::filesystem::path& folder);

bool is_run(const std::filesystem::path& folder);
// Who works on a run; nothing when nobody does. Takes no lock, so that it keeps nobody out.
std::optional<LockHolder> lock_holder(const std::filesystem::path& folder);

// The folders with a run in them that lie in `folder`, by name. None when it is not there.
std::vector<std::filesystem::path> list_runs(const std::filesystem::path& folder);

}  // namespace cuco::store
