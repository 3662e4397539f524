// Large ranges that begin with the same byte everywhere: they share pages of it until they are written. A program that
// asks for more memory than it touches needs no more than it touches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuco::vcluster {

class FilledPages {
 public:
  static constexpr size_t kBytes = size_t{16} << 20;  // Of the pages there are; smaller ranges are not worth a mapping.

  explicit FilledPages(unsigned char byte) : byte_(byte) {}
  ~FilledPages();
  FilledPages(const FilledPages&) = delete;

  // Replaces whole pages of private memory. False: the range is small, or the system gives no such pages; then it is
  // for the caller to fill it.
  bool map_over(uintptr_t begin, size_t bytes);

 private:
  bool make();

  unsigned char byte_;
  int file_ = kNotTried;
  static constexpr int kNotTried = -2;
};

}  // namespace cuco::vcluster
