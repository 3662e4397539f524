// Copies that GPU threads have begun and not waited for. cuco/async_copy.h moves their bytes when the wait takes them from
// here. In a checked run, whoever reads the target or writes either end in between has not waited: finding async_copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cuco::vcluster {

struct GpuThread;
struct Access;

// As cuco/async_copy.h lays it out.
struct CopyRequest {
  char* target;
  const char* source;
  size_t bytes, given;
};

struct AsyncCopy {
  CopyRequest request;
  const void* object = nullptr;  // To which it is bound; null: its thread's groups.
  uint64_t group = 0;            // From 1; 0: not committed.
  uint64_t number = 0;           // Of all copies.
};

// Of one thread.
struct ThreadCopies {
  std::vector<AsyncCopy> pending;  // Oldest first.
  uint64_t groups = 0;
};

// Whether any copy is pending in a checked run: what every access asks first.
extern bool checks_async_copies;

void begin_async_copy(GpuThread& thread, const CopyRequest& request, const void* object);
void commit_async_copies(GpuThread& thread);
bool take_async_copy(GpuThread& thread, size_t prior, const void* object, CopyRequest& out);
// The thread is over: nobody waits for what is left.
void drop_async_copies(GpuThread& thread);

// True: the access was before the wait, and has been reported.
bool check_async_copies(const Access& access);

}  // namespace cuco::vcluster
