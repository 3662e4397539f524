// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) over it: all the cryptography that signing a request needs. Digests are raw
// bytes, 32 of them.
#pragma once

#include <string>
#include <string_view>

namespace cuco::llm {

std::string sha256(std::string_view message);
std::string hmac_sha256(std::string_view key, std::string_view message);
std::string to_hex(std::string_view bytes);

}  // namespace cuco::llm
