// Streams and the work on them. Every operation waits for the ones it depends on; a stream is a chain of such
// dependences, an event is a name for one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/checkers/op_clock.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/timing/costs.h"
#include "vcluster/runtime/timing/work_order.h"

namespace cuco::vcluster {

class StreamCapture;
class Device;
struct HostThread;

struct Operation {
  std::string what;                       // "kernel gemm", "ncclAllGather", ...
  std::string place;                      // " at file:line" of the call, where `what` does not say it; or empty.
  uint32_t race_id = 0;                   // What the race detector knows it by.
  std::function<void(Operation&)> start;  // Calls finish(), at once or later.
  int rank = 0;                           // Of the device, and the stream's number on it.
  int stream = 0;
  Time earliest = 0;  // The host's call reaches the device.
  Time gap = 0;       // From the end of what it waited for until start.
  Time ready = 0;     // Everything it waits for is done.
  Time begin = 0;
  int unmet = 0;
  bool started = false;
  bool done = false;
  Time end = 0;
  Time clock_lead = 0;  // Of its device, when the host called.
  std::vector<std::shared_ptr<Operation>> dependents;
  std::vector<std::shared_ptr<Operation>> after;  // What it waits for; empty once it is done.
  size_t host_step = WorkOrder::kNone;            // What the host had waited for when it called.
  size_t step = WorkOrder::kNone;                 // Its own, once it is done.
  std::vector<Time> blocks;                       // What each of its blocks has computed.
  Time alone = 0;                                 // What its blocks compute, by themselves on the device.
  std::vector<HostThread*> waiting_hosts;
  Work work;  // What it has done so far.
  // Those bytes of it that blocks sent, by link (between nodes or not) and by what the block had computed before.
  std::map<std::pair<bool, Time>, double> sent_by_blocks;
  // For the checking build: its number, what is over when it is over, and how many operations the host had submitted.
  OperationId id;
  OpClock known;
  uint64_t host_epoch = 0;
  std::shared_ptr<Operation> self;  // Held from submission until it is done.

  void finish();
};
using OperationPtr = std::shared_ptr<Operation>;

enum class StreamKind { Legacy, Blocking, NonBlocking, PerThread };

class Stream {
 public:
  // The next of the device's streams; the caller adds it there.
  Stream(Device& device, StreamKind kind, int priority);

  // Queues the operation behind everything that this stream's semantics put before it. `delay` is the time from the
  // call to the start on an idle stream; 0 is for what takes no part in the device's work, such as event records.
  OperationPtr submit(std::string what, Time delay, std::function<void(Operation&)> start, std::string place = {});
  // Makes the call that `work` stands for, which submits to the stream it is given; or, while this stream is captured,
  // records it for launches of the graph and returns null.
  OperationPtr issue(std::function<OperationPtr(Stream&)> work);
  void wait_for(const OperationPtr& operation);  // Work submitted from here on comes after it.
  // The last of what a synchronisation waits for: events that the stream waits for count, also when nothing is queued
  // behind them.
  OperationPtr settle();

  Device& device() const { return device_; }
  int number() const { return number_; }
  int priority() const { return priority_; }
  StreamKind kind() const { return kind_; }
  const OperationPtr& last() const { return last_; }
  bool idle() const { return !last_ || last_->done; }
  std::shared_ptr<StreamCapture> capture;  // Null unless the stream is being captured.

 private:
  Device& device_;
  StreamKind kind_;
  int number_;
  int priority_;
  uint64_t submitted_ = 0;
  OperationPtr last_;
  std::vector<OperationPtr> extra_;  // Events waited for since the last submit.
};

// Suspends the current host thread until the operation is done, and the program knows that it is.
void wait_on_host(const OperationPtr& operation);
// The same, but what the program has waited for stays as it was: it was not promised that the call waits. The pointer
// is the caller's own.
void stand_still_until_done(const OperationPtr& keep);

}  // namespace cuco::vcluster
