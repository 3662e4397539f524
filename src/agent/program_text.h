// A program as the roles of the agent see it: files of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"

namespace cuco::agent {

using ProgramText = std::vector<SourceFile>;

// Every file in a fence of its own, headed by "FILE: path".
std::string fenced(const ProgramText& program);

}  // namespace cuco::agent
