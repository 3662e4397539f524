// The outputs of a program that names none: what it copies back to the host once its first timed region has begun
// (which of several is the longest differs between a program and its candidates), and, when no rank copies anything
// back, what its last communication received (or, for a candidate, the memory that held this in the baseline). Received
// memory is taken when the elapsed time of the longest region is read or its end is marked (iteration 0) and at the end
// of the program or of the allocation (iteration 1). Every copy is an output of its own, as bytes; whoever reads the
// capture knows the types. Copies are counted in the order in which each thread asks for them: streams and threads that
// nothing orders end in another order under another schedule. Where cuco repeats the region (plain_loop.h), every call
// is looked at: the places that the run is told of, else received memory (iterations 2, 3, ...).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "vcluster/capture.h"
#include "vcluster/run_report.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

struct CollectiveCall;

// Rank of the process, thread, and how often anybody asked before.
using AskedCopy = std::tuple<int, int, uint64_t>;

class PlainOutputs {
 public:
  // The current host thread asks for a copy.
  AskedCopy ask();
  // Its bytes have come to the host. `what` names the copy and its place.
  void on_copy(const AskedCopy& asked, const void* target, const void* source, size_t bytes, const std::string& what);
  // Calls of one group begin on a device.
  void on_group(int rank, const std::vector<CollectiveCall>& calls);
  // The program reads how long a region of this rank took.
  void on_timed(int rank, Time begin, Time end);
  // Marks that time the region have come to its end; of several calls the last counts.
  void on_marked(int rank);
  // The allocation of a device that begins here is about to go.
  void on_free(const void* address);
  // The region has come to the end of a call on the rank that `lane` names, whose own work is over.
  void end_call(const void* lane, int rank, uint32_t call);
  // The program is over.
  void write();
  void fill(RunReport& report) const;

 private:
  struct Copy {
    AskedCopy asked;
    Time end = 0;
    std::string name, bytes;
    uint32_t allocation = 0;
    uint64_t offset = 0;
  };
  struct Received {
    uint32_t allocation = 0;  // Counts the device's allocations.
    uint64_t offset = 0, count = 0;
    uint32_t element = 0;
  };
  struct Rank {
    std::vector<Copy> copies;
    std::vector<Received> received;
    std::optional<Time> first_timed;  // When the first region began that was read.
    Time longest = -1;
    std::map<std::pair<uint32_t, uint32_t>, CapturedOutput> snapshots;  // By iteration and buffer.
  };

  Rank& of(int rank) { return ranks_[rank]; }
  std::vector<Received> watched(int rank);
  void take(int rank, uint32_t iteration, const void* only);
  std::vector<ReadBack> places_of(int rank);
  void keep(const ReadBack& place, uint32_t iteration, const char* memory);
  bool has_room(int rank, size_t bytes);
  bool is_output(int rank, const Rank& from, const Copy& copy) const;
  bool add_copies(Capture& capture, int rank, const Rank& from) const;

  std::map<int, Rank> ranks_;
  Capture calls_;
  size_t kept_bytes_ = 0;
  uint64_t asked_ = 0;
  bool is_full_ = false;
};

PlainOutputs& plain_outputs();

}  // namespace cuco::vcluster
