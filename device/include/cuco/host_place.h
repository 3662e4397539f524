// Library calls of host code say where they stand, so that findings can name the line. Forced in front of plain C++
// and C files; CUDA files get it with the rest of execute.h.
#pragma once

// Where the running host thread stands in the program; null: not known. C has no end of an expression to act at: the
// place of one call stays until the next. `operands`: what the call's first two arguments are called there, one a line,
// empty where that is no pointer. `element_bytes`: of what the first one points to, for calls that allocate; 0: not
// known.
#ifndef __cplusplus
void cuco_host_at(const char* place);
void cuco_host_call(const char* place, const char* operands, unsigned element_bytes);
#else
extern "C" void cuco_host_at(const char* place);
extern "C" void cuco_host_call(const char* place, const char* operands, unsigned element_bytes);

namespace cuco_rt {

// Lives until the end of the expression that makes the call.
struct HostPlace {
  explicit HostPlace(const char* place) { cuco_host_at(place); }
  HostPlace(const char* place, const char* operands, unsigned element_bytes) {
    cuco_host_call(place, operands, element_bytes);
  }
  ~HostPlace() { cuco_host_at(nullptr); }
};

}  // namespace cuco_rt
#endif
