// What a run paid for: one JSON line for every verdict and every reply of a model, by the digest of what it answers.
//   {"kind":"verdict","key":"9f...","content":"..."}      "hex" instead of "content" where that is not UTF-8
// Written and synced before anything depends on it, so a run that is killed at any instant evaluates and asks nothing
// twice, and a run can be done again from its log alone. A torn last line is dropped when the log is opened.
// Contents stay in the file; memory holds where they are. Threads may share a log.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace cuco::store {

class Log {
 public:
  static Result<Log> open(const std::filesystem::path& file);  // Made when missing.
  static Result<Log> open_read_only(const std::filesystem::path& file);

  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  // `kind` is "verdict", "gpu" (a verdict of GPUs), "clock" or "reply". Of several appended under one key the last counts.
  std::optional<std::string> find(const std::string& kind, const std::string& key) const;
  // An error (a full disk) leaves the log as it was.
  Status append(const std::string& kind, const std::string& key, const std::string& content);

  size_t entry_count() const;

 private:
  struct State;
  explicit Log(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cuco::store
