#include "llm/hmac.h"

#include "base/sha256.h"

namespace cuco::llm {

std::string hmac_sha256(std::string_view key, std::string_view message) {
  constexpr size_t kBlockBytes = 64;
  std::string padded = key.size() > kBlockBytes ? sha256_bytes(key) : std::string(key);
  padded.resize(kBlockBytes, '\0');
  std::string inner = padded;
  std::string outer = padded;
  for (char& c : inner) c ^= 0x36;
  for (char& c : outer) c ^= 0x5c;
  return sha256_bytes(outer + sha256_bytes(inner.append(message)));
}

}  // namespace cuco::llm
