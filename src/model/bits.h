// A set of small indices with fast union, for reachability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuco::model {

class Bits {
 public:
  explicit Bits(size_t size = 0) : words_((size + 63) / 64, 0) {}

  bool test(size_t index) const { return (words_[index / 64] >> (index % 64)) & 1; }
  void set(size_t index) { words_[index / 64] |= uint64_t{1} << (index % 64); }

  // Both sets must have been made for the same size.
  Bits& operator|=(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace cuco::model
