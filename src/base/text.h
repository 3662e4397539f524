// Small text operations that the standard library of GCC 12 lacks.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cuco {

template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// "1 site", "2 sites"; plural defaults to the singular + "s".
std::string counted(size_t count, std::string_view singular, std::string_view plural = {});

// "`name`".
std::string in_backticks(std::string_view name);

// What white space parts.
std::vector<std::string> words_of(std::string_view text);
std::string without_blanks(std::string_view text);

// A run of white space becomes one space: source text fit for a table cell.
std::string squeeze(std::string_view text);

// Its words in lines of so many columns, with one blank between them; the first line may have more room, or less. A
// word that is too long has a line of its own. At least one line, which may be empty.
std::vector<std::string> wrapped(std::string_view text, size_t columns, size_t columns_of_first);

// The name closest to `wanted` by edit distance, or empty when none is close enough to be what was meant.
std::string closest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace cuco
