// A rewritten program with the headers of the communication library in place of its includes, so that a test can plant
// a fault in either.
#pragma once

#include <set>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "trial.h"

namespace cuco {

inline std::string inlined(const std::string& text, std::set<std::string>& seen) {
  std::string all;
  for (const std::string& line : split(text, '\n')) {
    size_t open = line.find("<cuco/comm"), close = line.find('>');
    bool includes = line.starts_with("#include") && open != line.npos && close != line.npos;
    std::string header = includes ? line.substr(open + 1, close - open - 1) : "";
    if (includes && seen.insert(header).second) all += inlined(*read_file(kSource / "device" / header), seen);
    if (!includes && line != "#pragma once") all += line + "\n";
  }
  return all;
}
inline std::string inlined(const std::string& text) {
  std::set<std::string> seen;
  return inlined(text, seen);
}

}  // namespace cuco
