// Streams and the work on them. Every operation waits for the ones it depends on; a stream is a chain of such
// dependences, an event is a name for one of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/clock.h"

namespace cuco::vcluster {

class Device;
struct HostThread;

struct Operation {
  std::string what;                       // "kernel gemm", "ncclAllGather", ...
  std::function<void(Operation&)> start;  // Calls finish(), at once or later.
  Time delay = 0;                         // From the moment the last dependence is met until start.
  int unmet = 0;
  bool started = false;
  bool done = false;
  Time end = 0;
  std::vector<std::shared_ptr<Operation>> dependents;
  std::vector<HostThread*> waiting_hosts;
  std::shared_ptr<Operation> self;  // Held from submission until it is done.

  void finish();
};
using OperationPtr = std::shared_ptr<Operation>;

enum class StreamKind { Legacy, Blocking, NonBlocking, PerThread };

class Stream {
 public:
  Stream(Device& device, StreamKind kind, int priority) : device_(device), kind_(kind), priority_(priority) {}

  // Queues the operation behind everything that this stream's semantics put before it.
  OperationPtr submit(std::string what, Time delay, std::function<void(Operation&)> start);
  void wait_for(const OperationPtr& operation);  // Work submitted from here on comes after it.

  Device& device() const { return device_; }
  int priority() const { return priority_; }
  StreamKind kind() const { return kind_; }
  const OperationPtr& last() const { return last_; }
  bool idle() const { return !last_ || last_->done; }
  bool destroyed = false;

 private:
  Device& device_;
  StreamKind kind_;
  int priority_;
  OperationPtr last_;
  std::vector<OperationPtr> extra_;  // Events waited for since the last submit.
};

// Suspends the current host thread until the operation is done.
void wait_on_host(const OperationPtr& operation);

}  // namespace cuco::vcluster
