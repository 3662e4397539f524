// Where the timed region of a program without a harness stands in its text, so that it can be marked and repeated.
#pragma once

#include <string>

#include "base/result.h"
#include "model/program.h"

namespace cuco::model {

// From the first statement of the region to the end of its last, in one function: where one of them stands in a
// function of its own, the call that leads there takes its place, and where one stands in a loop of the region, that
// loop. Either may be a part of a larger statement.
struct RegionText {
  Index file = kNone;  // Into Program::files.
  uint32_t begin_byte = 0, end_byte = 0;
  // How often loops of the region itself make every one of its communication calls, at least; 1: they do not.
  uint32_t own_calls = 1;
  bool is_last = false;  // It runs once, and no kernel, library call or communication comes after it.
  std::string set_up;    // A call in it that programs make once, such as cudaMalloc, with its place; empty: none.
};

// Needs program.timed_region. An error says why nobody but the program can call its region: it begins or ends inside of
// a macro, or in different functions.
Result<RegionText> find_region_text(const Program& program);

}  // namespace cuco::model
