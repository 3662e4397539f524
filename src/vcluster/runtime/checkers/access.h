// One memory access of the program under study, as the checking build reports it.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

// Where an instruction stands in the user's source; one for each line with an instrumented instruction.
struct AccessSite {
  const char* file;
  uint32_t line;
  mutable uint32_t number;  // As number_of_site() counts them; 0 until then.
  const char* function;
};

enum class AccessKind : uint8_t { Read, Write, AtomicRead, AtomicWrite, AtomicUpdate };
enum class AccessOrder : uint8_t { Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent };
enum class AccessScope : uint8_t { Block, Device, System };

struct Access {
  uintptr_t address = 0;
  uint32_t bytes = 0;
  AccessKind kind = AccessKind::Read;
  AccessOrder order = AccessOrder::Relaxed;  // Of atomics; plain accesses are Relaxed.
  AccessScope scope = AccessScope::System;
  const AccessSite* site = nullptr;  // Null when the access comes from a library call (a copy, a collective, a put).
};

inline bool is_write(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::AtomicWrite || kind == AccessKind::AtomicUpdate;
}
inline bool is_atomic(AccessKind kind) { return kind >= AccessKind::AtomicRead; }

}  // namespace cuco::vcluster
