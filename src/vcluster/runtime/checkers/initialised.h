// unwritten_read: bytes of device or shared memory are used that nothing ever wrote. Copies, sends and puts pass the
// state of each byte on; the finding is made where a kernel reads or where the bytes reach the host. A reduction by
// NCCL's host call that takes such bytes is a warning: many programs warm up before they fill their buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/shadow.h"

namespace cuco::vcluster {

struct CollectiveCall;

// An access of the running GPU thread. Of a copy of a whole object only the bytes in use matter, so it is reported only
// when none of them was written.
void check_initialised(const Access& access, bool copies_object);

// A copy or transfer that was just made.
void check_copy(const void* target, const void* source, size_t bytes, const std::string& what);
// What a library call reads.
void check_library_read(const void* source, size_t bytes, const std::string& what);
void note_write(const void* target, size_t bytes, const std::string& what);
// A library wrote to the allocation from here on; how much is not known.
void note_write_of_unknown_size(const void* target);

// Before a collective stores its results: checks what it touches and passes the state on.
void note_collective(const std::vector<CollectiveCall>& calls);

// The state of bytes under way: taken when a put reads its source, given to the target when it lands.
WrittenFlags take_written(const void* source, size_t bytes);
void give_written(void* target, const WrittenFlags& flags);

}  // namespace cuco::vcluster
