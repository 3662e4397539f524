// Library calls of host code say where they stand, so that findings can name the line. Forced in front of plain C++
// and C files; CUDA files get it with the rest of execute.h.
#pragma once

// Where the running host thread stands in the program; null: not known. C has no end of an expression to act at: the
// place of one call stays until the next.
#ifndef __cplusplus
void cuco_host_at(const char* place);
#else
extern "C" void cuco_host_at(const char* place);

namespace cuco_rt {

// Lives until the end of the expression that makes the call.
struct HostPlace {
  explicit HostPlace(const char* place) { cuco_host_at(place); }
  ~HostPlace() { cuco_host_at(nullptr); }
};

}  // namespace cuco_rt
#endif
