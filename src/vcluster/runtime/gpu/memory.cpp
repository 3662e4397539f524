#include "vcluster/runtime/gpu/memory.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "base/assert.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/filled_pages.h"
#include "vcluster/runtime/gpu/page_views.h"

namespace cuco::vcluster {

namespace {

constexpr size_t kPageBytes = 4096;

// A kernel's two neighbouring 32-bit arguments read as one word look like an address when the upper one is the
// address's upper half. An odd number of 4 GiB keeps that from being the size of anything that is cut into tiles.
constexpr uintptr_t kFirstOffset = (uintptr_t{7} << 32) + kPageBytes;

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

bool map_at(uintptr_t address, size_t bytes) {
  void* wanted = reinterpret_cast<void*>(address);
  void* got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return got == wanted;
}

void poison(const Allocation& made) {
  static FilledPages pages(0xff);
  if (!pages.map_over(made.pages_begin, made.pages_bytes))
    std::memset(reinterpret_cast<void*>(made.begin), 0xff, made.bytes);
}

}  // namespace

DeviceMemory::DeviceMemory(int rank)
    : base_(kDeviceBase + (static_cast<uintptr_t>(rank) << kDeviceShift)), next_(base_ + kFirstOffset) {}

void* DeviceMemory::allocate(size_t bytes, size_t alignment, std::string what) {
  if (bytes > limit_bytes_ || used_bytes_ + bytes > limit_bytes_) return nullptr;
  size_t page = alignment > kPageBytes ? alignment : kPageBytes;
  Allocation made;
  made.bytes = bytes;
  made.pages_begin = round_up(next_, page);
  made.pages_bytes = round_up(round_up(bytes, alignment), kPageBytes);
  if (!map_at(made.pages_begin, made.pages_bytes)) return nullptr;
  made.begin = made.pages_begin + made.pages_bytes - round_up(bytes, alignment);
  made.what = std::move(what);
  made.place = host_place();
  if (const HostThread* host = world->current_host) {
    made.process = host->process;
    made.name = host_operand(0);
    made.element_bytes = host->element_bytes;
  }
  next_ = made.pages_begin + made.pages_bytes + kPageBytes;
  used_bytes_ += bytes;
  // A sampled run's memory takes no room until it is touched.
  if (!world->options.sample) poison(made);
  uintptr_t begin = made.begin;
  if (world->options.check) shadow().allow(begin, bytes);
  by_begin_.emplace(begin, std::move(made));
  return reinterpret_cast<void*>(begin);
}

bool DeviceMemory::free(void* address) {
  auto found = by_begin_.find(reinterpret_cast<uintptr_t>(address));
  if (found == by_begin_.end() || found->second.freed) return false;
  Allocation& allocation = found->second;
  allocation.freed = true;
  if (world->options.check) shadow().release(allocation.begin, allocation.bytes);
  if (world->options.check) races().forget(allocation.begin, allocation.bytes);
  used_bytes_ -= allocation.bytes;
  page_views().forget(allocation.pages_begin, allocation.pages_bytes);
  munmap(reinterpret_cast<void*>(allocation.pages_begin), allocation.pages_bytes);
  return true;
}

const Allocation* DeviceMemory::find(uintptr_t address) const {
  auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return address < candidate.begin + candidate.bytes ? &candidate : nullptr;
}

void DeviceMemory::note_buffer(uintptr_t address, size_t bytes) {
  const Allocation* found = find(address);
  if (!found || !found->what.starts_with("ncclMemAlloc")) return;
  size_t& said = by_begin_.at(found->begin).said_bytes;
  said = std::max(said, address + bytes - found->begin);
}

std::vector<const Allocation*> DeviceMemory::live() const {
  std::vector<const Allocation*> result;
  for (const auto& [begin, allocation] : by_begin_)
    if (!allocation.freed) result.push_back(&allocation);
  return result;
}

std::vector<const Allocation*> DeviceMemory::all() const {
  std::vector<const Allocation*> result;
  for (const auto& [begin, allocation] : by_begin_) result.push_back(&allocation);
  return result;
}

char* PagePool::take(size_t bytes) {
  size_t rounded = round_up(bytes + 1, kPageBytes);
  std::vector<char*>& unused = free_[rounded];
  if (unused.empty()) {
    CUCO_ASSERT(next_ + rounded <= end_ && map_at(next_, rounded));
    unused.push_back(reinterpret_cast<char*>(next_));
    next_ += rounded + kPageBytes;
  }
  char* memory = unused.back();
  unused.pop_back();
  return memory;
}

void PagePool::give_back(char* memory, size_t bytes) { free_[round_up(bytes + 1, kPageBytes)].push_back(memory); }

PagePool& shared_pool() {
  static PagePool pool(kSharedBase, kSharedEnd);
  return pool;
}

PagePool& argument_pool() {
  static PagePool pool(kArgumentBase, kHostStackBase);
  return pool;
}

uintptr_t next_handle_range() {
  static uintptr_t next = kHandleBase;
  return std::exchange(next, next + (uintptr_t{1} << 32));
}

}  // namespace cuco::vcluster
