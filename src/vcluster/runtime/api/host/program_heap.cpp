#include "vcluster/runtime/api/host/program_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "vcluster/runtime/gpu/page_views.h"

namespace cuco::vcluster {

namespace {

constexpr size_t kSmallBytes = 1024;               // Up to here room comes in steps of the alignment, then it doubles.
constexpr size_t kMappedBytes = size_t{64} << 20;  // At a time.
constexpr size_t kAlignmentMax = size_t{2} << 20;

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Rooms above the small ones are powers of two, and aligned as their size: what asks for more alignment gets one.
size_t room_for(size_t bytes, size_t alignment) {
  if (bytes <= kSmallBytes && alignment <= ProgramHeap::kAlignment)
    return std::max(round_up(bytes, ProgramHeap::kAlignment), ProgramHeap::kAlignment);
  return std::bit_ceil(std::max({bytes, alignment, kSmallBytes + 1}));
}

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

std::vector<ProgramHeap*>& heaps() {
  static std::vector<ProgramHeap*> all;
  return all;
}

}  // namespace

ProgramHeap::ProgramHeap(int process)
    : base_(kHeapBase + (static_cast<uintptr_t>(process) << kDeviceShift)),
      next_(base_ + kMappedBytes),  // So that what lies just before a block is no other process's.
      mapped_end_(next_) {
  heaps().resize(std::max(heaps().size(), static_cast<size_t>(process) + 1));
  heaps()[static_cast<size_t>(process)] = this;
}

uintptr_t ProgramHeap::take_fresh(size_t room) {
  uintptr_t begin = room <= kSmallBytes ? next_ : round_up(next_, std::min(room, kAlignmentMax));
  uintptr_t end = begin + room;
  if (end - base_ > (uintptr_t{1} << kDeviceShift) - kMappedBytes) return 0;
  if (end > mapped_end_) {
    size_t bytes = round_up(end - mapped_end_, kMappedBytes);
    void* wanted = reinterpret_cast<void*>(mapped_end_);
    void* got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) return 0;
    mapped_end_ += bytes;
  }
  next_ = end;
  return begin;
}

void* ProgramHeap::allocate(size_t bytes, size_t alignment) {
  if (alignment > kAlignmentMax || bytes >> kDeviceShift != 0) return nullptr;
  size_t room = room_for(bytes, alignment);
  std::vector<uintptr_t>& unused = free_[room];
  uintptr_t begin = 0;
  if (unused.empty()) {
    begin = take_fresh(room);
    if (begin == 0) return nullptr;
  } else {
    begin = unused.back();
    unused.pop_back();
  }
  blocks_[begin] = {bytes, room};
  return reinterpret_cast<void*>(begin);
}

bool ProgramHeap::free(const void* address) {
  auto found = blocks_.find(number_of(address));
  if (found == blocks_.end()) return false;
  size_t room = found->second.room;
  blocks_.erase(found);
  if (room >= kFreshBytes) {
    page_views().forget(number_of(address), room);
    madvise(const_cast<void*>(address), room, MADV_DONTNEED);
  }
  free_[room].push_back(number_of(address));
  return true;
}

size_t ProgramHeap::bytes_of(const void* address) const {
  auto found = blocks_.find(number_of(address));
  return found == blocks_.end() ? 0 : found->second.bytes;
}

void* ProgramHeap::resize(void* address, size_t bytes) {
  void* moved = allocate(bytes);
  if (!moved) return nullptr;
  std::memcpy(moved, address, std::min(bytes, bytes_of(address)));
  free(address);
  return moved;
}

char* copy_text(ProgramHeap& heap, const std::string& text) {
  auto* copy = static_cast<char*>(heap.allocate(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

ProgramHeap* heap_at(const void* address) {
  uintptr_t index = (number_of(address) - kHeapBase) >> kDeviceShift;
  return index < heaps().size() ? heaps()[index] : nullptr;
}

}  // namespace cuco::vcluster
