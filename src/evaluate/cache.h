// What was found out before, on disk, by the digest of everything it depends on. Entries appear whole or not at all, so
// that any number of evaluations may share a folder. Losing it loses time only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"

namespace cuco::evaluate {

class Cache {
 public:
  Cache() = default;  // Remembers nothing.
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const std::string& kind, const std::string& key) const;
  // A cache that cannot be written is as good as none.
  void store(const std::string& kind, const std::string& key, const std::string& content) const;
  // Where entries of a kind take more than this, the oldest go until they take half of it.
  void trim(const std::string& kind, uintmax_t bytes_max) const;

 private:
  std::filesystem::path folder_;
};

// $XDG_CACHE_HOME/cuco, else ~/.cache/cuco; empty without either.
std::filesystem::path default_cache_folder(const Environment& environment);

}  // namespace cuco::evaluate
