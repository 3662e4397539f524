#include "base/shell_word.h"

#include <cctype>

#include "base/text.h"

namespace cuco {

std::string shell_word(std::string_view word) {
  bool plain = !word.empty();
  for (unsigned char c : word)
    plain = plain &&
            (std::isalnum(c) || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos);
  if (plain) return std::string(word);
  return concat("'", replace_all(std::string(word), "'", "'\\''"), "'");
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += concat(text.empty() ? "" : " ", shell_word(word));
  return text;
}

}  // namespace cuco
