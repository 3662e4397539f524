// memory_access: every access must lie in live memory that its maker may touch, aligned as its type asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vcluster/runtime/checkers/access.h"

namespace cuco::vcluster {

class Block;
struct Process;

// An access of the running GPU thread. `alignment` is what the type of the access asks for. Does not return when the
// memory is not there: what would follow is not the program's doing.
void check_bounds(const Access& access, uintptr_t alignment);

// The same for host code: device memory is out of its reach unless it is managed.
void check_host_bounds(const Access& access);

// What a library call reads or writes: all of it must lie in one live allocation when it is device memory.
void check_library_range(const void* address, size_t bytes, const std::string& what);

// A block starts or ends: only its own variables and its dynamic part are its to touch.
void allow_shared_memory(const Block& block);

// A __shared__ variable of the image that is being loaded, by its place in the image.
void announce_shared_variable(const void* address, size_t bytes);

// Host memory that kernels may touch: pinned.
void pin_host_memory(const void* address, size_t bytes);
void unpin_host_memory(const void* address);
struct PinnedRange {
  uintptr_t begin = 0, end = 0;
};
// Around the address; empty: it is not pinned.
PinnedRange pinned_range(uintptr_t address);
inline bool is_pinned(uintptr_t address) { return pinned_range(address).end > 0; }
// A `__device__` variable of the program, on any of its devices.
bool is_device_variable(uintptr_t address, const Process& process);

// A free that does not match the way the memory was allocated is reported.
void check_free(const void* address, const char* function);
// A window wants memory that peers can map.
void check_window_memory(const void* address, int rank);

}  // namespace cuco::vcluster
