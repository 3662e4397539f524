// The heap of one process of the program, in addresses of its own: what the runner allocates lies elsewhere. All that
// is known about its blocks is kept outside of it, where the program cannot write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "vcluster/runtime/gpu/memory.h"

namespace cuco::vcluster {

class ProgramHeap {
 public:
  static constexpr size_t kAlignment = 16;        // Of every block.
  static constexpr size_t kFreshBytes = 1 << 20;  // Blocks of at least so many bytes hold zeros.

  explicit ProgramHeap(int process);

  // Null when the addresses are used up or the alignment is above 2 MiB.
  void* allocate(size_t bytes, size_t alignment = kAlignment);
  // False: no block begins there.
  bool free(const void* address);
  // As asked for; 0: no block begins there.
  size_t bytes_of(const void* address) const;
  void* resize(void* address, size_t bytes);

  uint64_t tag() const { return base_ >> kDeviceShift; }

 private:
  struct Block {
    size_t bytes, room;
  };

  uintptr_t take_fresh(size_t room);

  uintptr_t base_, next_, mapped_end_;
  std::map<size_t, std::vector<uintptr_t>> free_;  // By room.
  std::unordered_map<uintptr_t, Block> blocks_;    // By begin.
};

// As a string of C.
char* copy_text(ProgramHeap& heap, const std::string& text);

// Of whom the address is; null: it lies in no process's heap.
ProgramHeap* heap_at(const void* address);

}  // namespace cuco::vcluster
