// What the machine around cuco looks like: environment variables and files. Abstract for the same reason as
// ProcessRunner: what depends on the machine can be tested with a fake.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace cuco {

class Environment {
 public:
  virtual ~Environment() = default;
  virtual std::optional<std::string> variable(const std::string& name) const = 0;
  virtual bool exists(const std::filesystem::path& path) const = 0;
  virtual Result<std::string> read(const std::filesystem::path& path) const = 0;
  // Where a program of this name would be started from: the first match in the folders of $PATH.
  virtual std::optional<std::filesystem::path> find_program(const std::string& name) const = 0;
};

class RealEnvironment : public Environment {
 public:
  std::optional<std::string> variable(const std::string& name) const override;
  bool exists(const std::filesystem::path& path) const override;
  Result<std::string> read(const std::filesystem::path& path) const override;
  std::optional<std::filesystem::path> find_program(const std::string& name) const override;
};

}  // namespace cuco
