// An Environment made of two tables.
#pragma once

#include <map>
#include <string>

#include "base/environment.h"

namespace cuco::testing {

class FakeEnvironment : public Environment {
 public:
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;  // Path to content; programs stand in /bin.

  std::optional<std::string> variable(const std::string& name) const override {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  bool exists(const std::filesystem::path& path) const override { return files.contains(path.string()); }
  Result<std::string> read(const std::filesystem::path& path) const override {
    if (!exists(path)) return Error{path.string() + ": no such file"};
    return files.at(path.string());
  }
  std::optional<std::filesystem::path> find_program(const std::string& name) const override {
    std::filesystem::path path = std::filesystem::path("/bin") / name;
    return exists(path) ? std::optional(path) : std::nullopt;
  }
};

}  // namespace cuco::testing
