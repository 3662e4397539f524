// Long jumps of the random generators: powers of their transitions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr int kWords = 5, kBits = 32 * kWords;

// A linear map of XORWOW's 160 bits: what becomes of each bit alone.
using Words = std::array<uint32_t, kWords>;
using BitMatrix = std::array<Words, kBits>;

Words applied(const BitMatrix& matrix, const Words& state) {
  Words result = {};
  for (int bit = 0; bit < kBits; bit++)
    if (state[static_cast<size_t>(bit / 32)] >> (bit % 32) & 1)
      for (size_t word = 0; word < kWords; word++) result[word] ^= matrix[static_cast<size_t>(bit)][word];
  return result;
}

BitMatrix squared(const BitMatrix& matrix) {
  BitMatrix result;
  for (size_t bit = 0; bit < kBits; bit++) result[bit] = applied(matrix, matrix[bit]);
  return result;
}

BitMatrix one_step() {
  BitMatrix matrix;
  for (size_t bit = 0; bit < kBits; bit++) {
    Words v = {};
    v[bit / 32] = uint32_t{1} << (bit % 32);
    uint32_t t = v[0] ^ v[0] >> 2;
    matrix[bit] = {v[1], v[2], v[3], v[4], (v[4] ^ v[4] << 4) ^ (t ^ t << 1)};
  }
  return matrix;
}

// 2^power steps. Each is the square of the one before.
const BitMatrix& xorwow_steps(size_t power) {
  static std::vector<BitMatrix> known = {one_step()};
  while (known.size() <= power) known.push_back(squared(known.back()));
  return known[power];
}

using Matrix3 = std::array<std::array<uint64_t, 3>, 3>;

Matrix3 product(const Matrix3& a, const Matrix3& b, uint64_t modulus) {
  Matrix3 result = {};
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      for (size_t k = 0; k < 3; k++) result[i][j] = (result[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
  return result;
}

void skip_recurrence(uint32_t* state, Matrix3 step, uint64_t modulus, unsigned long long count, int log2_steps) {
  for (int i = 0; i < log2_steps; i++) step = product(step, step, modulus);
  for (; count != 0; count >>= 1, step = product(step, step, modulus)) {
    if (!(count & 1)) continue;
    std::array<uint64_t, 3> next = {};
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < 3; k++) next[i] = (next[i] + step[i][k] * state[k] % modulus) % modulus;
    for (size_t i = 0; i < 3; i++) state[i] = static_cast<uint32_t>(next[i]);
  }
}

}  // namespace

extern "C" {

void cuco_xorwow_skip(unsigned v[5], unsigned long long count, int log2_steps) {
  Words state;
  for (size_t i = 0; i < kWords; i++) state[i] = v[i];
  for (size_t bit = 0; count >> bit != 0; bit++) {
    if (count >> bit & 1) state = applied(xorwow_steps(bit + static_cast<size_t>(log2_steps)), state);
    if (bit == 63) break;
  }
  for (size_t i = 0; i < kWords; i++) v[i] = state[i];
}

void cuco_mrg32k3a_skip(unsigned s1[3], unsigned s2[3], unsigned long long count, int log2_steps) {
  constexpr uint64_t m1 = 4294967087, m2 = 4294944443;
  skip_recurrence(s1, {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, m1, count, log2_steps);
  skip_recurrence(s2, {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}}, m2, count, log2_steps);
}
}
