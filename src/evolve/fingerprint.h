// How alike two program texts are, by their tokens: comments and spacing do not count, nor in which order whole
// passages stand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "store/records.h"

namespace cuco::evolve {

// Equal for programs that differ in comments and spacing only.
std::string text_key(const std::vector<store::File>& files);

inline constexpr size_t kSketchBins = 256;

struct Fingerprint {
  std::vector<uint64_t> shingles;            // Hashes of runs of tokens, sorted, each once.
  std::array<uint64_t, kSketchBins> sketch;  // The least shingle of each bin: compares in a fixed time.
  uint64_t numbers = 0;                      // Of all numbers in the text, in order.
};

Fingerprint fingerprint(const std::vector<store::File>& files);

// Shared shingles over all: 1 for equal texts, 0 for texts that share nothing.
double similarity(const Fingerprint& a, const Fingerprint& b);
// The same, estimated from the sketches.
double sketch_similarity(const std::array<uint64_t, kSketchBins>& a, const std::array<uint64_t, kSketchBins>& b);

}  // namespace cuco::evolve
