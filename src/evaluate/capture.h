// What a harness hands to the judge: the outputs of every iteration of every rank. The file is written by the runner,
// outside of the program's reach as far as the executor allows, and read only here.
//
// Format, little endian: records, each
//   uint32 magic 'cuco', rank, iteration, buffer; uint32 element, flags (bit 0: work went on after the region returned);
//   uint64 count; double absolute, relative; uint32 name_bytes; name; count elements as they were when the region returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::evaluate {

struct CapturedOutput {
  uint32_t rank = 0, iteration = 0, buffer = 0;
  uint32_t element = 0;  // cuco::Element.
  bool changed_after_return = false;
  double absolute = 0, relative = 0;
  uint64_t count = 0;
  std::string name;
  std::string bytes;
};

using Capture = std::vector<CapturedOutput>;

Result<Capture> read_capture(const std::filesystem::path& path);

}  // namespace cuco::evaluate
