#include "vcluster/runtime/checkers/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace cuco::vcluster {

namespace {

constexpr uintptr_t kChunkBytes = 1u << 20;  // Of shadow, mapped at a time.

void map_shadow(uintptr_t begin, uintptr_t end) {
  void* wanted = reinterpret_cast<void*>(begin);
  void* got = mmap(wanted, end - begin, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
}

uintptr_t shadow_address(uintptr_t address) { return kShadowBase + (address >> 2); }

// The bits of the bytes [from, to) of one group of four.
uint8_t bits(unsigned from, unsigned to) { return static_cast<uint8_t>((0xfu >> (4 - (to - from))) << from); }

// Calls visit(shadow byte, mask of its memory bytes) for every group that the range touches.
template <typename Visit>
void for_each_group(uintptr_t address, size_t bytes, Visit visit) {
  uintptr_t end = address + bytes;
  while (address < end) {
    unsigned from = address & 3;
    unsigned to = static_cast<unsigned>(std::min<uintptr_t>(4, from + (end - address)));
    if (!visit(shadow_at(address), bits(from, to), address)) return;
    address += to - from;
  }
}

// The same for the groups that the range touches in part, and once whole(first shadow byte, count) for all others.
template <typename Visit, typename Whole>
void for_ends_and_middle(uintptr_t address, size_t bytes, Visit visit, Whole whole) {
  uintptr_t end = address + bytes, first = (address + 3) & ~uintptr_t{3}, last = end & ~uintptr_t{3};
  if (first >= last) return for_each_group(address, bytes, visit);
  for_each_group(address, first - address, visit);
  whole(shadow_at(first), (last - first) / 4);
  for_each_group(last, end - last, visit);
}

}  // namespace

void Shadow::cover(uintptr_t address, size_t bytes) {
  int device = device_of(address);
  if (device < 0) {
    if (!shared_is_mapped_) map_shadow(shadow_address(kSharedBase), shadow_address(kSharedEnd));
    shared_is_mapped_ = true;
    return;
  }
  auto index = static_cast<size_t>(device);
  if (index >= ends_.size()) ends_.resize(index + 1), mapped_.resize(index + 1);
  uintptr_t base = kDeviceBase + (static_cast<uintptr_t>(device) << kDeviceShift);
  if (mapped_[index] == 0) mapped_[index] = shadow_address(base);
  ends_[index] = std::max(ends_[index], address + bytes);
  uintptr_t needed = (shadow_address(ends_[index]) / kChunkBytes + 1) * kChunkBytes;
  if (needed > mapped_[index]) map_shadow(mapped_[index], needed), mapped_[index] = needed;
}

void Shadow::allow(uintptr_t address, size_t bytes) {
  cover(address, bytes);
  auto visit = [](uint8_t* group, uint8_t mask, uintptr_t) {
    *group = static_cast<uint8_t>((*group | mask << 4) & ~mask);
    return true;
  };
  for_ends_and_middle(address, bytes, visit, [](uint8_t* first, size_t count) { std::memset(first, 0xf0, count); });
}

void Shadow::forbid(uintptr_t address, size_t bytes) {
  if (!covers(address, bytes)) return;
  auto visit = [](uint8_t* group, uint8_t mask, uintptr_t) {
    *group = static_cast<uint8_t>(*group & ~(mask | mask << 4));
    return true;
  };
  for_ends_and_middle(address, bytes, visit, [](uint8_t* first, size_t count) { std::memset(first, 0, count); });
}

void Shadow::release(uintptr_t address, size_t bytes) {
  if (!covers(address, bytes)) return;
  forbid(address, bytes);
  constexpr uintptr_t kPage = 4096;
  uintptr_t first = (shadow_address(address) + kPage - 1) / kPage * kPage;
  uintptr_t end = shadow_address(address + bytes) / kPage * kPage;
  // Pages that are dropped come back as zeros, which is what forbidden memory has.
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

void Shadow::set_written(uintptr_t address, size_t bytes) {
  if (!covers(address, bytes)) return;
  auto visit = [](uint8_t* group, uint8_t mask, uintptr_t) {
    *group |= mask;
    return true;
  };
  for_ends_and_middle(address, bytes, visit, [](uint8_t* first, size_t count) {
    std::transform(first, first + count, first, [](uint8_t group) { return static_cast<uint8_t>(group | 0xf); });
  });
}

uintptr_t Shadow::first_without(ShadowBit bit, uintptr_t address, size_t bytes) const {
  if (!covers(address, bytes)) return 0;
  auto shift = static_cast<unsigned>(bit);
  uintptr_t found = 0;
  for_each_group(address, bytes, [&](const uint8_t* group, uint8_t mask, uintptr_t at) {
    unsigned missing = mask & ~(*group >> shift);
    if (missing == 0) return true;
    found = (at & ~uintptr_t{3}) + static_cast<unsigned>(__builtin_ctz(missing));
    return false;
  });
  return found;
}

std::vector<bool> Shadow::written(uintptr_t address, size_t bytes) const {
  std::vector<bool> flags(bytes, true);
  if (!covers(address, bytes)) return flags;
  for (size_t i = 0; i < bytes; i++) flags[i] = *shadow_at(address + i) >> ((address + i) & 3) & 1;
  return flags;
}

void Shadow::put_written(uintptr_t address, const std::vector<bool>& flags) {
  if (!covers(address, flags.size())) return;
  for (size_t i = 0; i < flags.size(); i++) {
    auto bit = static_cast<uint8_t>(1u << ((address + i) & 3));
    uint8_t& group = *shadow_at(address + i);
    group = static_cast<uint8_t>(flags[i] ? group | bit : group & ~bit);
  }
}

Shadow run_shadow;

}  // namespace cuco::vcluster
