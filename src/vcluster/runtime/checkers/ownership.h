// Whose memory an address is. A program may touch what it made and what it was given: its heap, its stacks, its image,
// device memory as CUDA and NCCL let it. Everything else is the runner's or another process's.
// Finding: foreign_memory, which ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuco::vcluster {

struct Allocation;
struct Process;

// Whether it is one of the numbers that stand for objects: see handles.h.
bool is_handle(uintptr_t address);

// Host memory of the process: its heap, the stacks of its threads, its variables.
bool is_host_memory_of(const Process& process, const void* address, size_t bytes);

// Device memory of whatever device, live or freed; null: none is there.
const Allocation* allocation_at(const void* address);

// Whether kernels and copies of the process reach this device memory: its own allocations, and peers' windows on its
// node. What was never allocated is not in anybody's reach.
bool reaches(const Process& process, const void* address);

// What somebody could reach may not be reachable any more: memory was unpinned, or a window closed.
void forget_reachable_memory();

// What a library call reads or writes in the process's name must be its own, or device memory in its reach.
void check_buffer(const Process& process, const void* address, size_t bytes, const std::string& what);

}  // namespace cuco::vcluster
