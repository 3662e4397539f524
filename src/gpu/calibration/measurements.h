// What the programs of device/calibrate print, and what is recorded with it: one fact a line, in any order.
//
//   machine KEY VALUE                                             the rest of the line is the value
//   measure NAME WHO SIZE WORK MEDIAN LEAST MOST COUNT            see device/calibrate/measure.h
//
// Lines that begin with neither word are what libraries print beside it, and are passed over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::gpu {

struct Measurement {
  std::string name;
  bool alone = false;  // One rank did it while the others were idle; else all at once.
  double size = 0;     // Bytes, blocks or clocks; 0 where there is none.
  double work = 0;     // Operations or bytes that the time was for.
  double median_us = 0, least_us = 0, most_us = 0;
  uint32_t sample_count = 0;
};

class Measurements {
 public:
  std::map<std::string, std::string> machine;
  std::vector<Measurement> all;

  const Measurement* find(std::string_view name, double size = 0, bool alone = false) const;
  // In order of size.
  std::vector<Measurement> curve(std::string_view name, bool alone = false) const;

  // Errors name what is missing.
  Result<Measurement> get(std::string_view name, double size = 0) const;
  Result<std::string> text(const std::string& key) const;
  Result<double> number(const std::string& key) const;
};

// `path` is how messages name the text. A time that is not above 0, or a median outside of its spread, is an error.
Result<Measurements> parse_measurements(const std::string& path, std::string_view text);

}  // namespace cuco::gpu
