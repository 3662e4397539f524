// What the checking build knows about every byte of device and shared memory: whether it may be touched and whether it
// was ever written. One byte of shadow describes four bytes of memory: the low half says written, the high half
// allowed. Without options.check nothing is kept and every question is answered with "fine".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vcluster/runtime/gpu/memory.h"

namespace cuco::vcluster {

constexpr uintptr_t kShadowBase = uintptr_t{1} << 46;

enum class ShadowBit : uint8_t { Written = 0, Allowed = 4 };  // The shift of its half.

inline uint8_t* shadow_at(uintptr_t address) { return reinterpret_cast<uint8_t*>(kShadowBase + (address >> 2)); }

// Whether each of a run of bytes under way was written. Mostly all or none of them were, which takes no room.
class WrittenFlags {
 public:
  explicit WrittenFlags(size_t bytes = 0, bool written = true) : bytes_(bytes), common_(written) {}
  explicit WrittenFlags(std::vector<bool> flags) : bytes_(flags.size()), flags_(std::move(flags)) {}

  size_t size() const { return bytes_; }
  bool are_alike() const { return flags_.empty(); }
  bool operator[](size_t i) const { return flags_.empty() ? common_ : flags_[i]; }
  bool any() const;
  void append(const WrittenFlags& other);
  // Leaves those that were written here and there; both are as long.
  void intersect(const WrittenFlags& other);

 private:
  size_t bytes_ = 0;
  bool common_ = true;       // Of all bytes, when
  std::vector<bool> flags_;  // this is empty.
};

class Shadow {
 public:
  // Memory whose state is kept: device memory that was ever allocated, and the shared memory of blocks.
  bool covers(uintptr_t address, size_t bytes) const {
    if (address >= kSharedBase && address + bytes <= kSharedEnd) return shared_is_mapped_;
    int device = device_of(address);
    return device >= 0 && static_cast<size_t>(device) < ends_.size() &&
           address + bytes <= ends_[static_cast<size_t>(device)];
  }

  // Fresh memory: allowed, not written.
  void allow(uintptr_t address, size_t bytes);
  void forbid(uintptr_t address, size_t bytes);
  // Forbids device memory for good, and gives back what was kept of it.
  void release(uintptr_t address, size_t bytes);
  void set_written(uintptr_t address, size_t bytes);

  // The first byte of the range without the bit; 0 when all have it. Memory that is not covered has every bit.
  uintptr_t first_without(ShadowBit bit, uintptr_t address, size_t bytes) const;

  // What a copy takes with it.
  WrittenFlags written(uintptr_t address, size_t bytes) const;
  void put_written(uintptr_t address, const WrittenFlags& flags);

 private:
  void cover(uintptr_t address, size_t bytes);
  void clear_written(uintptr_t address, size_t bytes);
  bool has_none_written(uintptr_t address, size_t bytes) const;

  std::vector<uintptr_t> ends_;    // By device: addresses below have shadow.
  std::vector<uintptr_t> mapped_;  // By device: shadow is mapped up to here.
  bool shared_is_mapped_ = false;
};

extern Shadow run_shadow;
inline Shadow& shadow() { return run_shadow; }

}  // namespace cuco::vcluster
