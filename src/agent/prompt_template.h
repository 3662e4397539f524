// The words of a role, kept in a text file that users may edit:
//   ## system
//   ...
//   ## user
//   ... {{program}} ...
// Placeholders stand in double braces. Which names a role fills in is fixed; a file must use each of them and no other.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::agent {

struct FilledPrompt {
  std::string system;
  std::string user;
};

class PromptTemplate {
 public:
  // Errors name the file and line.
  static Result<PromptTemplate> parse(const std::string& path, const std::string& text,
                                      const std::vector<std::string>& names);
  // `share`/prompts/`role`.txt
  static Result<PromptTemplate> load(const std::filesystem::path& share, const std::string& role,
                                     const std::vector<std::string>& names);

  // Every name must have a value. Braces inside values mean nothing.
  FilledPrompt fill(const std::map<std::string, std::string>& values) const;
  // How long the prompt is before anything is filled in.
  size_t own_bytes() const { return system_.size() + user_.size(); }

 private:
  std::string system_;
  std::string user_;
};

}  // namespace cuco::agent
