// Text of programs, compilers and models, fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace cuco {

// Control characters, which a terminal would obey, and bytes that are not UTF-8 become \xNN. Line breaks and tabs stay.
std::string printable(std::string_view text);

}  // namespace cuco
