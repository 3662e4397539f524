#include "base/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cuco {

namespace {

using State = std::array<uint32_t, 8>;

constexpr std::array<uint32_t, 64> kPrimes = [] {
  std::array<uint32_t, 64> primes{};
  size_t count = 0;
  for (uint32_t n = 2; count < primes.size(); n++) {
    bool prime = true;
    for (uint32_t d = 2; d * d <= n; d++) prime = prime && n % d != 0;
    if (prime) primes[count++] = n;
  }
  return primes;
}();

// The standard takes its constants from the first 32 bits of the fractions of roots of primes.
uint32_t fraction_bits(long double root) { return static_cast<uint32_t>((root - std::floor(root)) * 0x1p32L); }

const std::array<uint32_t, 64>& round_constants() {
  static const std::array<uint32_t, 64> constants = [] {
    std::array<uint32_t, 64> made{};
    for (size_t i = 0; i < made.size(); i++) made[i] = fraction_bits(std::cbrt(static_cast<long double>(kPrimes[i])));
    return made;
  }();
  return constants;
}

State first_state() {
  State state{};
  for (size_t i = 0; i < state.size(); i++) state[i] = fraction_bits(std::sqrt(static_cast<long double>(kPrimes[i])));
  return state;
}

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; i++) word = word << 8 | static_cast<uint8_t>(bytes[at + i]);
  return word;
}

std::array<uint32_t, 64> expand(std::string_view block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; i++) w[i] = word_at(block, 4 * i);
  for (size_t i = 16; i < 64; i++) {
    uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  return w;
}

void absorb(State& state, std::string_view block) {
  std::array<uint32_t, 64> w = expand(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; i++) {
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + round_constants()[i] + w[i];
    uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); i++) state[i] += mixed[i];
}

// One bit, zeros, and the length in bits, up to a whole block.
std::string padded_tail(std::string_view content) {
  std::string tail(content.substr(content.size() / 64 * 64));
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  uint64_t bits = uint64_t{content.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift);
  return tail;
}

}  // namespace

std::string sha256_bytes(std::string_view content) {
  State state = first_state();
  for (size_t at = 0; at + 64 <= content.size(); at += 64) absorb(state, content.substr(at, 64));
  std::string tail = padded_tail(content);
  for (size_t at = 0; at < tail.size(); at += 64) absorb(state, std::string_view(tail).substr(at, 64));
  std::string digest;
  for (uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  constexpr size_t kBlock = 64;
  std::string inner = key.size() > kBlock ? sha256_bytes(key) : std::string(key);
  inner.resize(kBlock, '\0');
  std::string outer = inner;
  for (char& byte : inner) byte ^= 0x36;
  for (char& byte : outer) byte ^= 0x5c;
  return sha256_bytes(outer + sha256_bytes(inner.append(message)));
}

std::string to_hex(std::string_view bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  for (char byte : bytes) {
    hex += kDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

std::string sha256(std::string_view content) { return to_hex(sha256_bytes(content)); }

}  // namespace cuco
