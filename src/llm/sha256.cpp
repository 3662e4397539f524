#include "llm/sha256.h"

#include <array>
#include <bit>
#include <cstdint>

namespace cuco::llm {

namespace {

constexpr size_t kBlockBytes = 64;
using State = std::array<uint32_t, 8>;

constexpr State kInitial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t big_endian(std::string_view bytes) {
  uint32_t word = 0;
  for (char c : bytes.substr(0, 4)) word = word << 8 | static_cast<uint8_t>(c);
  return word;
}

std::array<uint32_t, 64> schedule(std::string_view block) {
  std::array<uint32_t, 64> words{};
  for (size_t i = 0; i < 16; ++i) words[i] = big_endian(block.substr(4 * i));
  for (size_t i = 16; i < 64; ++i) {
    uint32_t a = words[i - 15];
    uint32_t b = words[i - 2];
    uint32_t small0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    uint32_t small1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[i] = words[i - 16] + small0 + words[i - 7] + small1;
  }
  return words;
}

void absorb(State& state, std::string_view block) {
  std::array<uint32_t, 64> words = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t first = h + big1 + ((e & f) ^ (~e & g)) + kRound[i] + words[i];
    uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t second = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  State sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += sum[i];
}

std::string padding(size_t message_bytes) {
  std::string pad(1, '\x80');
  pad.append((kBlockBytes + 56 - (message_bytes + 1) % kBlockBytes) % kBlockBytes, '\0');
  uint64_t bits = uint64_t{message_bytes} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) pad += static_cast<char>(bits >> shift);
  return pad;
}

}  // namespace

std::string sha256(std::string_view message) {
  State state = kInitial;
  size_t whole = message.size() / kBlockBytes * kBlockBytes;
  for (size_t at = 0; at < whole; at += kBlockBytes) absorb(state, message.substr(at, kBlockBytes));
  std::string tail = std::string(message.substr(whole)) + padding(message.size());
  for (size_t at = 0; at < tail.size(); at += kBlockBytes)
    absorb(state, std::string_view(tail).substr(at, kBlockBytes));
  std::string digest;
  for (uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string padded = key.size() > kBlockBytes ? sha256(key) : std::string(key);
  padded.resize(kBlockBytes, '\0');
  std::string inner = padded;
  std::string outer = padded;
  for (char& c : inner) c ^= 0x36;
  for (char& c : outer) c ^= 0x5c;
  return sha256(outer + sha256(inner.append(message)));
}

std::string to_hex(std::string_view bytes) {
  const char* digits = "0123456789abcdef";
  std::string hex;
  for (char c : bytes) {
    hex += digits[static_cast<uint8_t>(c) >> 4];
    hex += digits[static_cast<uint8_t>(c) & 15];
  }
  return hex;
}

}  // namespace cuco::llm
