#include "vcluster/runtime/checkers/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "vcluster/runtime/gpu/filled_pages.h"

namespace cuco::vcluster {

namespace {

constexpr uintptr_t kChunkBytes = 1u << 20;  // Of shadow, mapped at a time.
constexpr uintptr_t kPageBytes = 4096;
constexpr uint8_t kFresh = 0xf0;  // Allowed, not written.

// Zeros: what memory has that is forbidden. `how`: whether it takes the place of another mapping.
void map_shadow(uintptr_t begin, uintptr_t end, int how = MAP_FIXED_NOREPLACE) {
  void* wanted = reinterpret_cast<void*>(begin);
  void* got =
      mmap(wanted, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
  CUCO_ASSERT(got == wanted);
}

uintptr_t shadow_address(uintptr_t address) { return kShadowBase + (address >> 2); }
uintptr_t address_of_shadow(uintptr_t shadow) { return (shadow - kShadowBase) << 2; }

// The whole pages of a range.
struct Pages {
  uintptr_t begin, end;
  Pages(uintptr_t first, uintptr_t last)
      : begin((first + kPageBytes - 1) / kPageBytes * kPageBytes),
        end(std::max(begin, last / kPageBytes * kPageBytes)) {}
};

void set_fresh(uint8_t* first, size_t count) {
  static FilledPages fresh(kFresh);
  auto begin = reinterpret_cast<uintptr_t>(first);
  Pages pages(begin, begin + count);
  if (!fresh.map_over(pages.begin, pages.end - pages.begin)) {
    std::memset(first, kFresh, count);
    return;
  }
  std::memset(first, kFresh, pages.begin - begin);
  std::memset(reinterpret_cast<void*>(pages.end), kFresh, begin + count - pages.end);
}

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

// The first of the shadow bytes in which some bit of `wanted` is not as in `pattern`, or `end`. Whole words at a time:
// copies and collectives ask for megabytes.
const uint8_t* first_other(const uint8_t* begin, const uint8_t* end, uint8_t wanted, uint8_t pattern) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  for (; end - begin >= 8; begin += 8) {
    uint64_t word = 0;
    std::memcpy(&word, begin, sizeof word);
    if ((word & kEach * wanted) != kEach * pattern) break;
  }
  while (begin < end && (*begin & wanted) == pattern) begin++;
  return begin;
}

}  // namespace

bool WrittenFlags::any() const {
  return flags_.empty() ? bytes_ > 0 && common_ : std::find(flags_.begin(), flags_.end(), true) != flags_.end();
}

void WrittenFlags::append(const WrittenFlags& other) {
  if (bytes_ == 0) *this = WrittenFlags(0, other.common_);
  if (are_alike() && other.are_alike() && common_ == other.common_) {
    bytes_ += other.bytes_;
    return;
  }
  if (flags_.empty()) flags_.assign(bytes_, common_);
  for (size_t i = 0; i < other.bytes_; i++) flags_.push_back(other[i]);
  bytes_ += other.bytes_;
}

void WrittenFlags::intersect(const WrittenFlags& other) {
  if (other.are_alike() && (other.common_ || bytes_ == 0)) return;
  if (other.are_alike() || (are_alike() && common_)) {
    *this = other;
    return;
  }
  for (size_t i = 0; i < flags_.size(); i++) flags_[i] = flags_[i] && other[i];
}

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
  for_ends_and_middle(address, bytes, visit, set_fresh);
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
  Pages pages(shadow_address(address), shadow_address(address + bytes));
  if (pages.begin == pages.end) return forbid(address, bytes);
  uintptr_t begin = address_of_shadow(pages.begin), end = address_of_shadow(pages.end);
  forbid(address, begin - address);
  map_shadow(pages.begin, pages.end, MAP_FIXED);
  forbid(end, address + bytes - end);
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
  uintptr_t found = 0, end = address + bytes;
  auto visit = [&](const uint8_t* group, uint8_t mask, uintptr_t at) {
    unsigned missing = mask & ~(*group >> shift);
    if (missing == 0) return true;
    found = (at & ~uintptr_t{3}) + static_cast<unsigned>(__builtin_ctz(missing));
    return false;
  };
  constexpr size_t kShortBytes = 64;  // As single accesses have it, which ask most often.
  if (bytes <= kShortBytes) {
    for_each_group(address, bytes, visit);
    return found;
  }
  uintptr_t whole = std::min(end, (address + 3) & ~uintptr_t{3}), last = std::max(whole, end & ~uintptr_t{3});
  for_each_group(address, whole - address, visit);
  if (found != 0) return found;
  auto all = static_cast<uint8_t>(0xfu << shift);
  const uint8_t* lacking = first_other(shadow_at(whole), shadow_at(last), all, all);
  uintptr_t from = whole + static_cast<uintptr_t>(lacking - shadow_at(whole)) * 4;
  for_each_group(from, end - from, visit);
  return found;
}

bool Shadow::has_none_written(uintptr_t address, size_t bytes) const {
  bool is_none = true;
  auto visit = [&](const uint8_t* group, uint8_t mask, uintptr_t) { return is_none = (*group & mask) == 0; };
  for_ends_and_middle(address, bytes, visit, [&](const uint8_t* first, size_t count) {
    is_none = is_none && first_other(first, first + count, 0xf, 0) == first + count;
  });
  return is_none;
}

void Shadow::clear_written(uintptr_t address, size_t bytes) {
  auto visit = [](uint8_t* group, uint8_t mask, uintptr_t) {
    *group = static_cast<uint8_t>(*group & ~mask);
    return true;
  };
  for_ends_and_middle(address, bytes, visit, [](uint8_t* first, size_t count) {
    std::transform(first, first + count, first, [](uint8_t group) { return static_cast<uint8_t>(group & 0xf0); });
  });
}

WrittenFlags Shadow::written(uintptr_t address, size_t bytes) const {
  if (!covers(address, bytes) || first_without(ShadowBit::Written, address, bytes) == 0) return WrittenFlags(bytes);
  if (has_none_written(address, bytes)) return WrittenFlags(bytes, false);
  std::vector<bool> flags(bytes);
  for (size_t i = 0; i < bytes; i++) flags[i] = *shadow_at(address + i) >> ((address + i) & 3) & 1;
  return WrittenFlags(std::move(flags));
}

void Shadow::put_written(uintptr_t address, const WrittenFlags& flags) {
  if (!covers(address, flags.size()) || flags.size() == 0) return;
  if (flags.are_alike()) return flags[0] ? set_written(address, flags.size()) : clear_written(address, flags.size());
  for (size_t i = 0; i < flags.size(); i++) {
    auto bit = static_cast<uint8_t>(1u << ((address + i) & 3));
    uint8_t& group = *shadow_at(address + i);
    group = static_cast<uint8_t>(flags[i] ? group | bit : group & ~bit);
  }
}

Shadow run_shadow;

}  // namespace cuco::vcluster
