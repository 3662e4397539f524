// What a harness hands to the judge: the outputs of every iteration of every rank. The file is written by the runner,
// outside of the program's reach as far as the executor allows.
//
// Format, little endian: records, each
//   uint32 magic 'cuco', rank, iteration, buffer; uint32 element, flags (bit 0: bytes changed after the region
//   returned; bit 1: a part of a buffer; bit 2: of scratch); uint64 count; double absolute, relative; uint32
//   name_bytes; of a part, uint64 first; name; count elements as they were when the region returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::vcluster {

struct CapturedOutput {
  uint32_t rank = 0;
  uint32_t iteration = 0;  // Warm-up included.
  uint32_t buffer = 0;     // In the order in which the program names its outputs.
  uint32_t element = 0;    // cuco::Element.
  bool changed_after_return = false;
  double absolute = 0, relative = 0;
  uint64_t count = 0;
  std::string name;
  std::string bytes;
  bool is_part = false;     // Of a sampled run: some of the elements, from `first` on.
  bool is_scratch = false;  // Of a part: no output, only where this program writes.
  uint64_t first = 0;
};

// An element of which a sampled run has the result, so that another one may have it too.
struct WantedPlace {
  uint32_t rank = 0;
  uint32_t buffer = 0;
  bool is_scratch = false;
  uint64_t index = 0;
};

// Memory of one rank that held a plain baseline's output: which of its device allocations, where in it, and what.
struct Watch {
  int rank = 0;
  uint32_t allocation = 0;
  uint64_t offset = 0, count = 0;
  uint32_t element = 0;  // cuco::Element.
};

// What a plain program copied to a device before its region, by its content, and what it consists of.
struct Upload {
  uint64_t digest = 0;
  uint32_t element = 0;  // cuco::Element.
};

// A place that a plain program copies to the host after its region, so that it holds an output whenever the region has
// come to its end.
struct ReadBack {
  int rank = 0;
  uint32_t buffer = 0;      // Of the captured output.
  uint32_t allocation = 0;  // Counts the device's allocations.
  uint64_t offset = 0, bytes = 0;
  std::string what;  // "the copy at FILE:LINE".
};

// "RANK BUFFER ALLOCATION OFFSET BYTES WHAT". Inverse of each other.
std::string to_text(const ReadBack& place);
ReadBack parse_read_back(const std::string& text);

using Capture = std::vector<CapturedOutput>;

std::string to_record(const CapturedOutput& output);

// Errors name the file and the place in it where it stops to make sense.
Result<Capture> read_capture(const std::filesystem::path& path);
Result<Capture> parse_capture(const std::string& bytes, const std::string& name);

}  // namespace cuco::vcluster
