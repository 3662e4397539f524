// The SHA-256 digest: names for contents, which nobody can make collide.
#pragma once

#include <string>
#include <string_view>

namespace cuco {

// 64 hexadecimal digits.
std::string sha256(std::string_view content);
// The 32 bytes themselves.
std::string sha256_bytes(std::string_view content);

std::string to_hex(std::string_view bytes);

}  // namespace cuco
