// How alike two program texts are, by their tokens: comments and spacing do not count, nor in which order whole
// passages stand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "store/records.h"

namespace cuco::evolve {

inline constexpr size_t kSketchBins = 256;

// What is kept of a text: small, and compared in a fixed time.
struct TextSketch {
  std::string key;                         // Equal for programs that differ in comments and spacing only.
  std::array<uint64_t, kSketchBins> bins;  // The least hash of each bin.
  uint64_t numbers = 0;                    // Of all numbers in the text, in order.
};

struct Fingerprint {
  std::vector<uint64_t> shingles;  // Hashes of runs of tokens, sorted, each once.
  TextSketch sketch;
};

Fingerprint fingerprint(const std::vector<SourceFile>& files);
std::string text_key(const std::vector<SourceFile>& files);

// Shared shingles over all: 1 for equal texts, 0 for texts that share nothing.
double similarity(const Fingerprint& a, const Fingerprint& b);
// The same, estimated.
double similarity(const TextSketch& a, const TextSketch& b);

}  // namespace cuco::evolve
