#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace cuco {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1)
    parts.emplace_back(text.substr(begin, end - begin));
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r\n\f\v";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string counted(size_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return concat("1 ", singular);
  return plural.empty() ? concat(count, " ", singular, "s") : concat(count, " ", plural);
}

std::string in_backticks(std::string_view name) { return concat("`", name, "`"); }

std::vector<std::string> words_of(std::string_view text) {
  std::string squeezed = squeeze(text);
  return squeezed.empty() ? std::vector<std::string>() : split(squeezed, ' ');
}

std::string without_blanks(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](unsigned char c) { return std::isspace(c); });
  return packed;
}

std::string squeeze(std::string_view text) {
  std::string squeezed;
  for (char c : trim(text)) {
    bool blank = std::isspace(static_cast<unsigned char>(c));
    if (!blank)
      squeezed += c;
    else if (squeezed.back() != ' ')
      squeezed += ' ';
  }
  return squeezed;
}

std::vector<std::string> wrapped(std::string_view text, size_t columns, size_t columns_of_first) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(squeeze(text), ' ')) {
    size_t room = lines.size() == 1 ? columns_of_first : columns;
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > room) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string closest(std::string_view wanted, const std::vector<std::string>& names) {
  size_t best_distance = wanted.size() / 3 + 1;
  std::string best;
  for (const std::string& name : names) {
    size_t distance = edit_distance(wanted, name);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace cuco
