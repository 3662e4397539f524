#include "base/common_folder.h"

namespace cuco {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const std::string& file) { return fs::absolute(file).lexically_normal().parent_path(); }

fs::path shared_beginning(const fs::path& one, const fs::path& other) {
  fs::path shared;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end() && *a == *b; ++a, ++b) shared /= *a;
  return shared;
}

}  // namespace

fs::path common_folder(const std::vector<std::string>& files) {
  fs::path common = folder_of(files.front());
  for (const std::string& file : files) common = shared_beginning(common, folder_of(file));
  return common;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  fs::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace cuco
