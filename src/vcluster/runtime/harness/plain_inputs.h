// The inputs of a program that names none: what it copies from the host to its devices before its timed region. Many
// programs give every rank the same values, or one value everywhere, so that a message that is missing, stale or in
// another's place does not show. Content that the run is told of is changed after it has arrived, each number by up to
// a quarter of itself, otherwise on every rank. It is known by a digest, so a candidate may copy in another order.
// Where cuco repeats the region, what was changed of it is changed anew before every call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vcluster/run_report.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

class PlainInputs {
 public:
  // Bytes have come from the host. `what` names the copy and its place.
  void on_copy(void* target, const void* source, size_t bytes, const std::string& what);
  // The region is about to be called for the so-manieth time on the rank that `lane` names; its own work is over.
  void begin_call(const void* lane, int rank, uint32_t call);
  void fill(RunReport& report) const;

 private:
  struct Arrived {
    int rank = 0;
    Time end = 0;
    UploadReport upload;
  };
  // What is changed, as the program gave it.
  struct Changed {
    int rank = 0;
    void* target = nullptr;
    std::string bytes;
    Upload upload;
    std::string what;
  };
  void keep(Changed changed);

  std::vector<Arrived> arrived_;
  std::vector<Changed> changed_;
};

PlainInputs& plain_inputs();

}  // namespace cuco::vcluster
