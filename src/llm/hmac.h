// HMAC (RFC 2104) over SHA-256: with the digest itself, all the cryptography that signing a request needs.
#pragma once

#include <string>
#include <string_view>

namespace cuco::llm {

// 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace cuco::llm
