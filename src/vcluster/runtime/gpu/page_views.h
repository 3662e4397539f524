// Large copies without copying: source and target become private views of the same pages, and each gets pages of its
// own where it is written later. What a benchmark sends again and again takes no time and no further memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace cuco::vcluster {

class PageViews {
 public:
  PageViews();
  ~PageViews();
  PageViews(const PageViews&) = delete;

  // Whole pages of private memory that nobody else has mapped, apart from each other. False: the system does not let
  // pages be shared or watched; then nothing has changed.
  bool share(uintptr_t target, uintptr_t source, size_t bytes);
  // The pages are given back: they hold zeros, and are nobody's view.
  void forget(uintptr_t begin, size_t bytes);
  // Whole pages of private memory hold zeros, which take no memory until they are written.
  bool clear(uintptr_t begin, size_t bytes);
  // Every page that has some of the bytes holds zeros and nobody has written it. Found out without reading them; false
  // where it is not known.
  bool is_untouched(uintptr_t begin, size_t bytes) const;

  // Of pages that views share. May be asked in the midst of anything, from a handler of signals.
  size_t stored_bytes() const { return stored_bytes_; }

 private:
  struct View {
    uintptr_t end;
    uint64_t offset;  // In the file.
  };
  struct Segment {
    size_t bytes;   // Of the file, from the key on.
    size_t viewed;  // Bytes that views have of it, each counted.
  };

  std::optional<uint64_t> unchanged(uintptr_t begin, size_t bytes) const;
  bool has_own_pages(uintptr_t begin, size_t bytes) const;
  std::optional<uint64_t> store(uintptr_t begin, size_t bytes);
  bool map(uintptr_t begin, size_t bytes, uint64_t offset);
  void drop(uintptr_t begin, size_t bytes);
  void leave(const View& view, size_t bytes);

  bool make_zeros();
  bool are_zeros(const View& view) const;

  int file_, page_map_;
  uint64_t file_end_ = 0;
  std::optional<uint64_t> zeros_;  // Where in the file a hole is that cleared pages are views of.
  volatile size_t stored_bytes_ = 0;
  std::map<uintptr_t, View> views_;       // By begin; they do not overlap.
  std::map<uint64_t, Segment> segments_;  // By offset in the file.
};

PageViews& page_views();

// As memmove. Memory of devices and of programs' heaps is shared where that is worth it, and what nobody has written is
// not written at the target either.
void copy_memory(void* target, const void* source, size_t bytes);

// Large parts of memory that are looked at for themselves: whether they were ever written.
constexpr size_t kPartBytes = size_t{64} << 20;
bool is_untouched(const void* memory, size_t bytes);
// As memset with 0. Pages of memory that is_untouched() knows are given back.
void zero_memory(void* memory, size_t bytes);

}  // namespace cuco::vcluster
