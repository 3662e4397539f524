// Turns a pair of accesses that nothing orders into a finding, once for each pair of source lines.
#pragma once

#include <set>
#include <string>

#include "vcluster/runtime/checkers/actors.h"
#include "vcluster/runtime/checkers/race_shadow.h"

namespace cuco::vcluster {

class RaceReport {
 public:
  void add(const char* kind, const Actors& actors, const AccessRecord& before, const AccessRecord& now,
           uintptr_t address);

 private:
  std::set<std::string> reported_;
};

}  // namespace cuco::vcluster
