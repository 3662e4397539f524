// A list that only grows and never changes the numbers of its elements, and that gives back the memory of those that
// nobody needs any more, a chunk of them at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuco::vcluster {

template <class T, size_t kChunk>
class KeptNumbers {
 public:
  uint32_t add(T value) {
    if (size_ % kChunk == 0) chunks_.emplace_back().reserve(kChunk);
    chunks_.back().push_back(std::move(value));
    return size_++;
  }
  uint32_t size() const { return size_; }
  // False: its chunk was given back.
  bool has(uint32_t number) const { return !chunks_[number / kChunk].empty(); }
  T& operator[](uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  const T& operator[](uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }

  // Calls visit(number) for every element that there is.
  template <class Visit>
  void for_each(Visit visit) const {
    for (size_t chunk = 0; chunk < chunks_.size(); chunk++)
      for (size_t i = 0; i < chunks_[chunk].size(); i++) visit(static_cast<uint32_t>(chunk * kChunk + i));
  }

  // Gives back every full chunk of which all elements are not needed.
  template <class IsNeeded>
  void release(IsNeeded is_needed) {
    for (std::vector<T>& chunk : chunks_)
      if (chunk.size() == kChunk && std::none_of(chunk.begin(), chunk.end(), is_needed)) std::vector<T>().swap(chunk);
  }

 private:
  std::vector<std::vector<T>> chunks_;  // Empty: given back.
  uint32_t size_ = 0;
};

}  // namespace cuco::vcluster
