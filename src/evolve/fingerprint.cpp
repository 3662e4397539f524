#include "evolve/fingerprint.h"

#include <algorithm>
#include <limits>

#include "base/sha256.h"
#include "evaluate/lexer.h"

namespace cuco::evolve {
namespace {

constexpr size_t kRunLength = 4;  // Long enough that common words do not make programs alike.
constexpr uint64_t kEmptyBin = std::numeric_limits<uint64_t>::max();

// FNV-1a: std::hash may differ between libraries, and with it what counts as alike.
uint64_t hash(std::string_view text, uint64_t state = 0xcbf29ce484222325u) {
  for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return state;
}

uint64_t mixed(uint64_t state) {
  state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
  state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53u;
  return state ^ (state >> 33);
}

void add_runs(const std::vector<uint64_t>& tokens, std::vector<uint64_t>& shingles) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    uint64_t run = 0;
    for (size_t j = i; j < std::min(i + kRunLength, tokens.size()); ++j) run = mixed(run * 31 + tokens[j]);
    shingles.push_back(run);
  }
}

void fill_sketch(Fingerprint& print) {
  print.sketch.fill(kEmptyBin);
  for (uint64_t shingle : print.shingles) {
    uint64_t& least = print.sketch[shingle % kSketchBins];
    least = std::min(least, shingle);
  }
}

}  // namespace

std::string text_key(const std::vector<store::File>& files) {
  std::string all;
  for (const store::File& file : files) all += file.name + '\0' + evaluate::normalised(file.text) + '\0';
  return sha256(all);
}

Fingerprint fingerprint(const std::vector<store::File>& files) {
  Fingerprint print;
  for (const store::File& file : files) {
    std::vector<uint64_t> tokens;
    for (const evaluate::Token& token : evaluate::lex(file.text)) {
      if (token.is_comment()) continue;
      tokens.push_back(hash(token.text));
      if (token.kind == evaluate::TokenKind::Number) print.numbers = mixed(print.numbers ^ tokens.back());
    }
    add_runs(tokens, print.shingles);
  }
  std::ranges::sort(print.shingles);
  auto repeated = std::ranges::unique(print.shingles);
  print.shingles.erase(repeated.begin(), repeated.end());
  fill_sketch(print);
  return print;
}

double similarity(const Fingerprint& a, const Fingerprint& b) {
  std::vector<uint64_t> shared;
  std::ranges::set_intersection(a.shingles, b.shingles, std::back_inserter(shared));
  size_t all = a.shingles.size() + b.shingles.size() - shared.size();
  return all == 0 ? 1 : static_cast<double>(shared.size()) / static_cast<double>(all);
}

double sketch_similarity(const std::array<uint64_t, kSketchBins>& a, const std::array<uint64_t, kSketchBins>& b) {
  size_t used = 0, equal = 0;
  for (size_t bin = 0; bin < kSketchBins; ++bin) {
    if (a[bin] == kEmptyBin && b[bin] == kEmptyBin) continue;
    ++used;
    equal += a[bin] == b[bin];
  }
  return used == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(used);
}

}  // namespace cuco::evolve
