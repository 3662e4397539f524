#include "vcluster/runtime/gpu/page_views.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "vcluster/runtime/api/host/program_heap.h"
#include "vcluster/runtime/gpu/memory.h"

namespace cuco::vcluster {

namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr size_t kLeastBytes = kPartBytes;  // Below, moving bytes is cheaper than the faults that follow.

void* pointer_to(uintptr_t address) { return reinterpret_cast<void*>(address); }

bool is_own_memory(uintptr_t address) { return device_of(address) >= 0 || heap_at(pointer_to(address)) != nullptr; }

}  // namespace

PageViews::PageViews()
    : file_(memfd_create("pages", MFD_CLOEXEC)), page_map_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

PageViews::~PageViews() {
  if (file_ >= 0) close(file_);
  if (page_map_ >= 0) close(page_map_);
}

bool PageViews::share(uintptr_t target, uintptr_t source, size_t bytes) {
  if (file_ < 0 || page_map_ < 0) return false;
  std::optional<uint64_t> offset = unchanged(source, bytes);
  if (!offset) {
    offset = store(source, bytes);
    if (!offset || !map(source, bytes, *offset)) return false;
  }
  return map(target, bytes, *offset);
}

void PageViews::forget(uintptr_t begin, size_t bytes) {
  auto after = views_.lower_bound(begin + bytes);
  if (after == views_.begin() || std::prev(after)->second.end <= begin) return;
  mmap(pointer_to(begin), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
  drop(begin, bytes);
}

bool PageViews::make_zeros() {
  if (zeros_) return true;
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(file_end_ + kPartBytes)) != 0) return false;
  segments_[file_end_] = {kPartBytes, 1};
  zeros_ = std::exchange(file_end_, file_end_ + kPartBytes);
  return true;
}

bool PageViews::clear(uintptr_t begin, size_t bytes) {
  if (!make_zeros()) return false;
  for (size_t done = 0; done < bytes; done += kPartBytes)
    if (!map(begin + done, std::min(kPartBytes, bytes - done), *zeros_)) return false;
  return true;
}

bool PageViews::are_zeros(const View& view) const {
  return zeros_ && view.offset >= *zeros_ && view.offset < *zeros_ + kPartBytes;
}

bool PageViews::is_untouched(uintptr_t begin, size_t bytes) const {
  const uintptr_t first = begin / kPageBytes * kPageBytes;
  const uintptr_t end = (begin + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (page_map_ < 0) return false;
  auto at = views_.upper_bound(first);
  bool in_view = at != views_.begin() && std::prev(at)->second.end > first;
  if (in_view) at--;
  // What is no view is anonymous memory in a heap, and else a device's that was filled when it was allocated.
  bool may_be_plain = heap_at(pointer_to(first)) != nullptr;
  uintptr_t reached = first;
  for (; reached < end && at != views_.end() && at->first < end; at++) {
    if ((at->first > reached && !may_be_plain) || !are_zeros(at->second)) return false;
    reached = at->second.end;
  }
  return (reached >= end || may_be_plain) && !has_own_pages(first, end - first);
}

// Where in the file the pages are, if they are all of one view and none was written since.
std::optional<uint64_t> PageViews::unchanged(uintptr_t begin, size_t bytes) const {
  auto after = views_.upper_bound(begin);
  if (after == views_.begin()) return std::nullopt;
  const auto& [first, view] = *std::prev(after);
  if (view.end < begin + bytes || has_own_pages(begin, bytes)) return std::nullopt;
  return view.offset + (begin - first);
}

// A page of a view that was written is anonymous memory: present or swapped out, and no page of a file.
bool PageViews::has_own_pages(uintptr_t begin, size_t bytes) const {
  constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kOfFile = uint64_t{1} << 61;
  std::array<uint64_t, 4096> pages;
  for (uintptr_t at = begin; at < begin + bytes;) {
    size_t wanted = std::min<size_t>(pages.size(), (begin + bytes - at) / kPageBytes);
    ssize_t got =
        pread(page_map_, pages.data(), wanted * sizeof pages[0], static_cast<off_t>(at / kPageBytes * sizeof pages[0]));
    if (got != static_cast<ssize_t>(wanted * sizeof pages[0])) return true;
    auto is_own = [](uint64_t page) {
      return (page & kSwapped) != 0 || ((page & kPresent) != 0 && (page & kOfFile) == 0);
    };
    if (std::any_of(pages.begin(), pages.begin() + static_cast<ptrdiff_t>(wanted), is_own)) return true;
    at += wanted * kPageBytes;
  }
  return false;
}

// In parts: no signal is handled while the system writes, and the watch over the run's memory is one.
std::optional<uint64_t> PageViews::store(uintptr_t begin, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t written = pwrite(file_, pointer_to(begin + done), std::min(bytes - done, kLeastBytes),
                             static_cast<off_t>(file_end_ + done));
    if (written <= 0) return std::nullopt;
    done += static_cast<size_t>(written);
    stored_bytes_ += static_cast<size_t>(written);
  }
  segments_[file_end_] = {bytes, 0};
  return std::exchange(file_end_, file_end_ + bytes);
}

bool PageViews::map(uintptr_t begin, size_t bytes, uint64_t offset) {
  void* got = mmap(pointer_to(begin), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file_,
                   static_cast<off_t>(offset));
  if (got == MAP_FAILED) return false;
  std::prev(segments_.upper_bound(offset))->second.viewed += bytes;
  drop(begin, bytes);
  views_[begin] = {begin + bytes, offset};
  return true;
}

// Views of the range end there; of those that reach beyond it the rest stays.
void PageViews::drop(uintptr_t begin, size_t bytes) {
  const uintptr_t end = begin + bytes;
  auto at = views_.upper_bound(begin);
  if (at != views_.begin()) at--;
  while (at != views_.end() && at->first < end) {
    auto [first, view] = *at;
    uintptr_t from = std::max(first, begin), to = std::min(view.end, end);
    if (from >= to) {
      at++;
      continue;
    }
    at = views_.erase(at);
    if (first < from) views_[first] = {from, view.offset};
    if (to < view.end) views_[to] = {view.end, view.offset + (to - first)};
    leave(view, to - from);
  }
}

// Pages that no view has any more are given back.
void PageViews::leave(const View& view, size_t bytes) {
  auto segment = std::prev(segments_.upper_bound(view.offset));
  segment->second.viewed -= bytes;
  if (segment->second.viewed > 0) return;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(segment->first),
            static_cast<off_t>(segment->second.bytes));
  stored_bytes_ -= segment->second.bytes;
  segments_.erase(segment);
}

PageViews& page_views() {
  static PageViews views;
  return views;
}

bool is_untouched(const void* memory, size_t bytes) {
  return page_views().is_untouched(reinterpret_cast<uintptr_t>(memory), bytes);
}

void zero_memory(void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const size_t head = std::min(bytes, (kPageBytes - begin % kPageBytes) % kPageBytes);
  const size_t whole = (bytes - head) / kPageBytes * kPageBytes;
  std::memset(memory, 0, head);
  std::memset(pointer_to(begin + head + whole), 0, bytes - head - whole);
  if (whole > 0 && !(is_own_memory(begin) && page_views().clear(begin + head, whole)))
    std::memset(pointer_to(begin + head), 0, whole);
}

namespace {

// The part that is looked at by itself, from `done` on.
size_t part_from(size_t done, size_t bytes) { return std::min(kPartBytes, bytes - done); }

bool has_untouched_part(uintptr_t begin, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kPartBytes)
    if (page_views().is_untouched(begin + done, part_from(done, bytes))) return true;
  return false;
}

void copy_in_parts(uintptr_t to, uintptr_t from, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kPartBytes) {
    const size_t part = part_from(done, bytes);
    if (!page_views().is_untouched(from + done, part))
      std::memcpy(pointer_to(to + done), pointer_to(from + done), part);
    else if (!page_views().is_untouched(to + done, part))
      zero_memory(pointer_to(to + done), part);
  }
}

bool share_memory(uintptr_t to, uintptr_t from, size_t bytes) {
  if (to % kPageBytes != from % kPageBytes) return false;
  const size_t head = (kPageBytes - from % kPageBytes) % kPageBytes;
  const size_t whole = (bytes - head) / kPageBytes * kPageBytes, tail = bytes - head - whole;
  if (!page_views().share(to + head, from + head, whole)) return false;
  std::memcpy(pointer_to(to), pointer_to(from), head);
  std::memcpy(pointer_to(to + bytes - tail), pointer_to(from + bytes - tail), tail);
  return true;
}

}  // namespace

void copy_memory(void* target, const void* source, size_t bytes) {
  auto to = reinterpret_cast<uintptr_t>(target), from = reinterpret_cast<uintptr_t>(source);
  const bool is_apart = to >= from + bytes || from >= to + bytes;
  if (bytes >= kLeastBytes && is_apart && is_own_memory(to) && is_own_memory(from)) {
    if (has_untouched_part(from, bytes)) return copy_in_parts(to, from, bytes);
    if (share_memory(to, from, bytes)) return;
  }
  std::memmove(target, source, bytes);
}

}  // namespace cuco::vcluster
