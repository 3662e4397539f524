// What host code itself takes: the instructions of the program's host threads, which the cost plugin counts as it
// counts those of GPU threads. The calls that a program makes have prices of their own; the few instructions around
// each of them are in these, so a little of every stretch between two waits is not charged.
#pragma once

#include "vcluster/runtime/timing/costs.h"

namespace cuco::vcluster {

class HostWork {
 public:
  // The thread begins to run, for the first time or after it waited.
  void begin() { counted_from_ = cost_counters(); }
  // It stops to wait for something. What it has done since begin() is kept.
  void pause();
  // How long it has to be busy for all that it did, which is settled by that; 0 while that is too little to matter.
  Time take_due(const model::HostProfile& host);

 private:
  void count();

  CostCounters counted_from_ = {};
  CostCounters unpaid_ = {};
  bool has_waited_ = true;  // Since work was last settled.
};

}  // namespace cuco::vcluster
