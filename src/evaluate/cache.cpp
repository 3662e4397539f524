#include "evaluate/cache.h"

#include <atomic>

#include "base/files.h"
#include "base/text.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

std::optional<std::string> Cache::find(const std::string& kind, const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  Result<std::string> content = read_file(folder_ / kind / key);
  if (!content) return std::nullopt;
  return *content;
}

void Cache::store(const std::string& kind, const std::string& key, const std::string& content) const {
  if (folder_.empty()) return;
  static std::atomic<unsigned> writers{0};
  std::error_code failure;
  fs::create_directories(folder_ / kind, failure);
  // Two threads that store the same entry must not write one file.
  fs::path own = folder_ / kind / concat(key, ".", writers++);
  if (!write_file(own, content)) return;
  fs::rename(own, folder_ / kind / key, failure);
  if (failure) fs::remove(own, failure);
}

fs::path default_cache_folder(const Environment& environment) {
  if (std::string folder = environment.variable("XDG_CACHE_HOME").value_or(""); !folder.empty())
    return fs::path(folder) / "cuco";
  if (std::string home = environment.variable("HOME").value_or(""); !home.empty())
    return fs::path(home) / ".cache/cuco";
  return {};
}

}  // namespace cuco::evaluate
