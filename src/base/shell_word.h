// Words of commands that are printed for people to run again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuco {

// As it is when a shell would leave it alone, else in single quotes.
std::string shell_word(std::string_view word);
// All of them, with spaces between.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace cuco
