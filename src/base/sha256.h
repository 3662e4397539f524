// The SHA-256 digest: names for contents, which nobody can make collide.
#pragma once

#include <string>
#include <string_view>

namespace cuco {

// 64 hexadecimal digits.
std::string sha256(std::string_view content);
// The 32 bytes themselves.
std::string sha256_bytes(std::string_view content);
// RFC 2104: 32 bytes that nobody can tell without the key, whatever others of its messages he has seen.
std::string hmac_sha256(std::string_view key, std::string_view message);

std::string to_hex(std::string_view bytes);

}  // namespace cuco
