#include "evaluate/cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

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
  // Two threads or processes that store the same entry must not write one file.
  fs::path own = folder_ / kind / concat(key, ".", getpid(), ".", writers++);
  if (!write_file(own, content)) return;
  fs::rename(own, folder_ / kind / key, failure);
  if (failure) fs::remove(own, failure);
}

void Cache::trim(const std::string& kind, uintmax_t bytes_max) const {
  struct Entry {
    fs::file_time_type written;
    uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uintmax_t bytes = 0;
  std::error_code failure;
  for (fs::directory_iterator each(folder_ / kind, failure); !failure && each != fs::directory_iterator();
       each.increment(failure)) {
    Entry entry{each->last_write_time(failure), each->file_size(failure), each->path()};
    if (failure) continue;  // Another process has just removed it.
    bytes += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (bytes <= bytes_max) return;
  std::ranges::sort(entries, {}, &Entry::written);
  for (const Entry& entry : entries) {
    if (bytes <= bytes_max / 2) return;
    if (fs::remove(entry.path, failure)) bytes -= entry.bytes;
  }
}

fs::path default_cache_folder(const Environment& environment) {
  if (std::string folder = environment.variable("XDG_CACHE_HOME").value_or(""); !folder.empty())
    return fs::path(folder) / "cuco";
  if (std::string home = environment.variable("HOME").value_or(""); !home.empty())
    return fs::path(home) / ".cache/cuco";
  return {};
}

}  // namespace cuco::evaluate
