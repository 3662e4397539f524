// A program without a harness whose text says where its region begins and has come to its end, so that the runner can
// call it again (vcluster/runtime/plain_loop.h). Every line keeps its number, and what the region declares is declared
// anew in every call.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cuco::evaluate {

// As model/region_text.h has it.
struct PlainRegion {
  size_t file = 0;  // Among those of the program.
  size_t begin = 0, end = 0;
  uint32_t own_calls = 1;
  std::string set_up;
};

// What `cuco-lower region` writes.
Result<PlainRegion> parse_plain_region(const std::string& text);

// `text` is that of the region's file. An error says why it cannot be marked.
Result<std::string> with_marks(const std::string& text, const PlainRegion& region);

}  // namespace cuco::evaluate
