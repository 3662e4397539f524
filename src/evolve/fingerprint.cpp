#include "evolve/fingerprint.h"

#include <algorithm>
#include <limits>

#include "base/sha256.h"
#include "evaluate/text/lexer.h"

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

void fill_bins(const std::vector<uint64_t>& shingles, TextSketch& sketch) {
  sketch.bins.fill(kEmptyBin);
  for (uint64_t shingle : shingles) {
    uint64_t& least = sketch.bins[shingle % kSketchBins];
    least = std::min(least, shingle);
  }
}

// One text of everything that counts. A directive ends with its line, so lines begin where directives do.
class TokenReader {
 public:
  void read(const SourceFile& file) {
    all_ += file.name;
    std::vector<uint64_t> tokens;
    for (const evaluate::Token& token : evaluate::lex(file.text)) {
      if (token.is_comment()) continue;
      add_to_text(token);
      tokens.push_back(hash(token.text));
      if (token.kind == evaluate::TokenKind::Number)
        print_.sketch.numbers = mixed(print_.sketch.numbers ^ tokens.back());
    }
    add_runs(tokens, print_.shingles);
  }

  Fingerprint finish() {
    std::ranges::sort(print_.shingles);
    auto repeated = std::ranges::unique(print_.shingles);
    print_.shingles.erase(repeated.begin(), repeated.end());
    fill_bins(print_.shingles, print_.sketch);
    print_.sketch.key = sha256(all_);
    return std::move(print_);
  }

 private:
  void add_to_text(const evaluate::Token& token) {
    bool begins_directive = token.in_directive && token.starts_line;
    all_ += in_directive_ != token.in_directive || begins_directive ? '\n' : '\x1f';
    in_directive_ = token.in_directive;
    all_ += token.text;
  }

  Fingerprint print_;
  std::string all_;
  bool in_directive_ = false;
};

}  // namespace

Fingerprint fingerprint(const std::vector<SourceFile>& files) {
  TokenReader reader;
  for (const SourceFile& file : files) reader.read(file);
  return reader.finish();
}

std::string text_key(const std::vector<SourceFile>& files) { return fingerprint(files).sketch.key; }

double similarity(const Fingerprint& a, const Fingerprint& b) {
  std::vector<uint64_t> shared;
  std::ranges::set_intersection(a.shingles, b.shingles, std::back_inserter(shared));
  size_t all = a.shingles.size() + b.shingles.size() - shared.size();
  return all == 0 ? 1 : static_cast<double>(shared.size()) / static_cast<double>(all);
}

double similarity(const TextSketch& a, const TextSketch& b) {
  size_t used = 0, equal = 0;
  for (size_t bin = 0; bin < kSketchBins; ++bin) {
    if (a.bins[bin] == kEmptyBin && b.bins[bin] == kEmptyBin) continue;
    ++used;
    equal += a.bins[bin] == b.bins[bin];
  }
  return used == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(used);
}

}  // namespace cuco::evolve
