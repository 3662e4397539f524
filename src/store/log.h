// What a run paid for: one JSON line for every verdict and every reply of a model, by the digest of what it answers.
// Written and synced before anything depends on it, so a run that is killed at any instant evaluates and asks nothing
// twice, and a run can be done again from its log alone. A torn last line is dropped when the log is opened.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace cuco::store {

class Log {
 public:
  static Result<Log> open(const std::filesystem::path& file);  // Made when missing.
  static Result<Log> open_read_only(const std::filesystem::path& file);

  // `kind` is "verdict" or "reply".
  std::optional<std::string> find(const std::string& kind, const std::string& key) const;
  Status append(const std::string& kind, const std::string& key, const std::string& content);

  size_t entry_count() const { return entries_.size(); }

 private:
  Log(std::filesystem::path file, bool writable) : file_(std::move(file)), writable_(writable) {}

  std::filesystem::path file_;
  bool writable_;
  std::map<std::pair<std::string, std::string>, std::string> entries_;
};

}  // namespace cuco::store
