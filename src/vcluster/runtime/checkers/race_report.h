// Turns a pair of accesses that nothing orders into a finding, once for each pair of source lines.
#pragma once

#include <map>
#include <string>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/actors.h"

namespace cuco::vcluster {

// An access with all that is known about it.
struct AccessRecord {
  Epoch epoch;
  const AccessSite* site = nullptr;
  AccessKind kind = AccessKind::Read;
};

class RaceReport {
 public:
  void add(const char* kind, const Actors& actors, const AccessRecord& before, const AccessRecord& now,
           uintptr_t address);

 private:
  std::map<std::string, size_t> reported_;  // Finding by kind and lines.
};

}  // namespace cuco::vcluster
