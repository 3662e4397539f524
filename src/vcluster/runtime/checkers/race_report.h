// Turns a pair of accesses that nothing orders into a finding, once for each pair of source lines.
#pragma once

#include <set>
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
  std::set<std::string> reported_;
};

}  // namespace cuco::vcluster
