// The region of a program without a harness in a run that verifies, where cuco has marked in its text where the region
// begins and has come to its end. Called in a loop, as with the harness (harness.h): ranks do not meet between calls.
// After every call each rank by itself waits for its own work, reads its outputs (plain_outputs.h), takes its time, and
// has its inputs written anew (plain_inputs.h), as local work of the program for the race detector too.
//
// A loop of one call is the program's own: nothing is repeated, read or written, but ranks take their time after each
// call. Without a loop the marks count, and time the region of a program that reads no events.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "vcluster/run_report.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/harness/call_count.h"
#include "vcluster/runtime/timing/work_order.h"

namespace cuco::vcluster {

class Device;
struct HostThread;

class PlainLoop {
 public:
  PlainLoop();

  // What the marks call, on the host thread of the rank. A region that is `timed` by them is what the report is about:
  // of several calls the longest, from the mark to the end of the rank's own work.
  void begin(bool timed);
  bool goes_on();
  // The same where the program only looks at results after the region. A sampled run has none to look at, and ends when
  // the region was timed: the program's own check may take longer than all the rest.
  bool last_goes_on();
  // The program has read the time between two events.
  void on_elapsed();

  // A kernel of the device uses a signal, barrier, flag or piece of a window that no call has used before.
  void on_new_slot(int rank);

  // Whether regions are repeated; then the device's is all of its calls.
  bool runs() const;
  bool is_in(int rank, Time at) const;
  bool has_begun(int rank) const { return spans_.contains(rank); }
  // By marks, whatever else the program times.
  bool has_timed(int rank) const { return timed_.contains(rank); }
  // Of the device's first call; where marks only count, of what the program times.
  Time begin_of(int rank) const;

  // Of the rank that made the fewest.
  uint32_t call_count() const;
  // Says which region is timed, too.
  void fill(RunReport& report) const;

 private:
  struct Caller {
    HostThread* thread = nullptr;
    std::vector<Device*> devices;  // That it drives in this call.
    uint32_t calls = 0;
    bool is_timed = false;
    bool is_over = false;  // It will not come to its region again.
    Time begin = 0;        // Of its current call.
  };
  Caller& current();
  void take_time(const Caller& self);
  void end_call(Caller& self);
  void end_if_over();

  std::vector<std::unique_ptr<Caller>> callers_;
  std::map<int, TimeSpan> spans_;  // By rank of the device.
  std::map<int, TimeSpan> timed_;  // Likewise: the longest call that marks have timed.
  Time longest_ = 0;               // Of the callers' first calls.
  CallCount call_count_;
};

PlainLoop& plain_loop();

// How many calls of its region every rank has made so far in a loop, whoever makes it.
uint32_t looped_calls();

}  // namespace cuco::vcluster
