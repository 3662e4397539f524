#include "base/printable.h"

#include <cstdint>

namespace cuco {

namespace {

bool is_plain(unsigned char byte) { return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t'; }

std::string escaped(unsigned char byte) {
  constexpr const char* kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// How many bytes the first character of the text has; 0: it is none, or one that is not shown.
size_t character_bytes(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return is_plain(first) ? 1 : 0;
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  uint32_t code = first & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  bool is_control = code < 0xa0;  // Of those that terminals take for an escape sequence in one character.
  bool is_turning = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[bytes] || code > 0x10ffff || is_control || is_turning || is_surrogate ? 0 : bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    size_t bytes = character_bytes(text);
    shown += bytes > 0 ? std::string(text.substr(0, bytes)) : escaped(static_cast<unsigned char>(text[0]));
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return shown;
}

}  // namespace cuco
