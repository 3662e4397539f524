// Watches one barrier between ranks: one block of each rank uses it at a time, every arrival is waited for, and all
// ranks of the team come equally often. Finding: barrier_misuse.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "vcluster/runtime/engine/wait_kind.h"

namespace cuco::vcluster {

class BarrierLedger : public Awaited {
 public:
  // The running thread arrives, or has waited, on behalf of its block.
  void on_arrive(int rank, const std::string& name);
  void on_leave(int rank) { sides_[rank].is_open = false; }

  // At the end of the run.
  void check_end() const;
  // `rank` cannot go on because `peer` is missing and runs no kernel that could still come.
  void report_missing(int rank, int peer) const;

  std::string progress() const override;

 private:
  struct Side {
    uint64_t arrivals = 0;
    bool is_open = false;  // Arrived and not yet waited.
    uint64_t launch = 0, block = 0;
    std::string place;  // Of the latest arrival.
  };

  std::string name_;
  std::map<int, Side> sides_;
  bool has_reported_ = false;
};

}  // namespace cuco::vcluster
