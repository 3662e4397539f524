// A program as the roles of the agent see it: files of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuco::agent {

struct SourceFile {
  std::string path;  // As the user wrote it; unique within a program.
  std::string text;

  bool operator==(const SourceFile&) const = default;
};

using ProgramText = std::vector<SourceFile>;

// Every file in a fence of its own, headed by "FILE: path".
std::string fenced(const ProgramText& program);

}  // namespace cuco::agent
