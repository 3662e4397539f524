#include "base/environment.h"

#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"

namespace cuco {

namespace fs = std::filesystem;

std::optional<std::string> RealEnvironment::variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

bool RealEnvironment::exists(const fs::path& path) const {
  std::error_code failure;
  return fs::exists(path, failure);
}

Result<std::string> RealEnvironment::read(const fs::path& path) const { return read_file(path); }

std::optional<fs::path> RealEnvironment::find_program(const std::string& name) const {
  for (const std::string& folder : split(variable("PATH").value_or("/usr/bin:/bin"), ':')) {
    fs::path candidate = fs::path(folder) / name;
    std::error_code failure;
    if (fs::is_regular_file(candidate, failure) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace cuco
