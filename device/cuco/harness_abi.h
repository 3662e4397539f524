// What a program says to the runner that calls its region, in a form that does not depend on a compiler. The runner
// defines these functions; a program that defines them itself is refused.
#pragma once

#include <stdint.h>

extern "C" {

struct cuco_buffer {
  const char* name;
  void* pointer;
  uint64_t count;
  uint32_t element;  // cuco::Element.
  uint32_t role;     // 0 input, 1 output, 2 scratch.
  uint32_t distribution;
  double a, b;                // Of the distribution.
  double absolute, relative;  // Tolerance of an output.
};

void cuco_harness_open(int rank, int rank_count);
void cuco_harness_buffer(const struct cuco_buffer* buffer);
void cuco_harness_refuse(const char* reason);
int cuco_harness_begin(void);  // 1: call the region once more; 0: the run is over.
void cuco_harness_end(void);
}
