// Addresses. Device memory and shared memory lie in fixed ranges, so that an address tells what it is and pointers
// repeat from run to run. Every allocation ends at an unmapped page (to within its alignment), and freed memory is
// unmapped: an access beyond or after faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cuco::vcluster {

struct Process;

constexpr uintptr_t kDeviceBase = uintptr_t{1} << 44;
constexpr unsigned kDeviceShift = 38;  // 256 GiB of addresses a device.
constexpr uintptr_t kDeviceStackBase = uintptr_t{1} << 45;
// Arguments of kernels lie among the stacks of GPU threads: a kernel may look at them as at its own locals.
constexpr uintptr_t kArgumentBase = (uintptr_t{1} << 45) + (uintptr_t{1} << 42);
constexpr uintptr_t kHostStackBase = (uintptr_t{1} << 45) + (uintptr_t{1} << 43);
constexpr uintptr_t kMulticastBase = uintptr_t{3} << 44;  // Never mapped: only multimem instructions may use it.
constexpr uintptr_t kMulticastEnd = uintptr_t{4} << 44;   // What the checkers know of memory begins here.
// Heaps of the program's processes: as many addresses each as a device has, so that one shift tells whose memory it is.
constexpr uintptr_t kHeapBase = uintptr_t{6} << 44;
constexpr uintptr_t kHandleBase = uintptr_t{5} << 44;  // Never mapped: see handles.h.
// Shared memory sits below 4 GiB because PTX names it by 32-bit addresses.
constexpr uintptr_t kSharedBase = 0x2000'0000;
constexpr uintptr_t kSharedEnd = 0xf000'0000;

struct Allocation {
  uintptr_t begin = 0;
  size_t bytes = 0;
  uintptr_t pages_begin = 0;
  size_t pages_bytes = 0;
  bool freed = false;
  std::string what;                  // "cudaMalloc", "ncclMemAlloc", ...
  std::string place;                 // " at file:line" of that call, or empty.
  const Process* process = nullptr;  // Whose call that was; null: none's.
  std::string name;                  // Of the pointer to it, as the program calls it there; empty: not known.
  size_t element_bytes = 0;          // Of what that points to; 0: not known.
  size_t said_bytes = 0;  // From its begin to the end of the last buffer that the program names in it; 0: none.

  // What kernels find in caches.
  size_t footprint() const { return said_bytes > 0 ? said_bytes : bytes; }
};

// The memory of one device. Addresses are not reused: a stale pointer never becomes valid again.
class DeviceMemory {
 public:
  explicit DeviceMemory(int rank);

  // Null when the device's memory is exhausted. Fresh memory holds 0xff bytes, which are NaN in every float format.
  void* allocate(size_t bytes, size_t alignment, std::string what);
  // False when the address is not the beginning of a live allocation.
  bool free(void* address);
  // The allocation, live or freed, that holds the address.
  const Allocation* find(uintptr_t address) const;
  // The program keeps a buffer there. Only of memory for windows, whose whole pages say little about what is used.
  void note_buffer(uintptr_t address, size_t bytes);

  size_t used_bytes() const { return used_bytes_; }
  void set_limit(size_t bytes) { limit_bytes_ = bytes; }
  std::vector<const Allocation*> live() const;
  std::vector<const Allocation*> all() const;  // In the order in which they were made.

 private:
  uintptr_t base_;
  uintptr_t next_;
  size_t used_bytes_ = 0;
  size_t limit_bytes_ = SIZE_MAX;
  std::map<uintptr_t, Allocation> by_begin_;
};

// The device whose memory holds the address, or -1.
inline int device_of(uintptr_t address) {
  if (address < kDeviceBase || address >= kDeviceStackBase) return -1;
  return static_cast<int>((address - kDeviceBase) >> kDeviceShift);
}

// Whole pages of a range of addresses, by size, each followed by an unmapped one.
class PagePool {
 public:
  PagePool(uintptr_t begin, uintptr_t end) : next_(begin), end_(end) {}
  char* take(size_t bytes);
  void give_back(char* memory, size_t bytes);

 private:
  std::map<size_t, std::vector<char*>> free_;
  uintptr_t next_, end_;
};

PagePool& shared_pool();    // The shared memory of blocks,
PagePool& argument_pool();  // and the arguments of kernels, that run.

// The next 4 GiB of the addresses that handles are made of.
uintptr_t next_handle_range();

}  // namespace cuco::vcluster
