// The SHA-256 digest: names for contents, which nobody can make collide.
#pragma once

#include <string>
#include <string_view>

namespace cuco {

// 64 hexadecimal digits.
std::string sha256(std::string_view content);

}  // namespace cuco
