// Code blocks in a reply and the lines that say what they are for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::agent {

// Without carriage returns.
std::vector<std::string> reply_lines(std::string_view reply);

// What follows `mark` on a line that begins with it; models like to dress such lines up: **FILE: `a.cu`**.
inline constexpr std::string_view kFileMark = "FILE:";
std::optional<std::string> marked_word(const std::string& line, std::string_view mark);

bool opens_fence(const std::string& line);

struct Fence {
  std::string label;  // Of the last marked line before it; empty without one.
  std::string text;
};

// Errors name the line of the reply.
Result<std::vector<Fence>> find_fences(const std::vector<std::string>& lines, std::string_view mark);

// "// ... rest as before" in a text that replaces `before` would delete the rest. `what` names the text: "the whole
// file".
Status check_complete(const std::string& before, const std::string& text, std::string_view what);

}  // namespace cuco::agent
