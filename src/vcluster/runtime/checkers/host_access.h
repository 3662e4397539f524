// host_race: the host touches, reuses or frees memory that a copy, a kernel or a host function it has not waited for
// works on. What counts is whether the host has waited, not whether the work happened to be over.
// Threads of one process count as one: that a thread waited is known to all of them.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/op_clock.h"

namespace cuco::vcluster {

struct HostThread;
struct Operation;
struct Process;

class HostRaces {
 public:
  // The host submits an operation: numbers it. Nothing else here counts unless options.check is set.
  void on_submit(Operation& operation);
  // The host has waited for the operation, or seen that it is over.
  void on_wait(const Operation& operation);

  // A copy was queued that will read or write this memory of the host.
  void on_queued(const Operation& operation, const void* address, size_t bytes, bool writes, const std::string& what);
  // A function of the program was queued; `thread` is the one that runs it, from begin to end.
  void on_function_queued(const Operation& operation);
  void on_function_begin(const HostThread& thread, Operation& operation);

  // Nothing is under way that host code could race with: most programs spend most of their host code like that.
  bool is_quiet() const { return pending_.empty() && !has_common_memory_ && !has_functions_; }

  // Host code. Library calls that read or write the program's memory report themselves here, with a null site.
  void on_access(const Access& access, const std::string& what);
  // Memory of the host is about to go away. With 0 bytes it is a block of the heap.
  void on_release(const void* address, size_t bytes, const std::string& how);

  // Memory was allocated that kernels and the host both see.
  void on_common_memory() { has_common_memory_ = true; }
  // A GPU thread touches memory.
  void on_kernel_access(const Access& access) {
    if (has_common_memory_) check_kernel_access(access);
  }

 private:
  struct Pending {
    const Process* process;
    uintptr_t begin, end;
    bool writes;
    OperationId id;
    std::string what;
  };
  // The last accesses of a word by the device side and by the host.
  struct Word {
    OperationId device_write, device_read;
    const AccessSite *device_write_site = nullptr, *device_read_site = nullptr;
    uint64_t host_write = 0, host_read = 0;  // Operations submitted before, plus one; 0: never.
    const AccessSite *host_write_site = nullptr, *host_read_site = nullptr;
    bool device_is_atomic = false, host_is_atomic = false;
  };
  struct ProcessState {
    OpClock known;
    uint64_t submitted = 0;
    std::vector<OperationId> functions;  // Queued and not waited for.
  };

  ProcessState& state_of(const Process& process) { return processes_[&process]; }
  void check_kernel_access(const Access& access);
  const OpClock& known_now();
  Operation* running_function() const;
  bool is_watched(uintptr_t address);
  const Pending* find_pending(uintptr_t begin, uintptr_t end, bool writes);
  void check_words(const Access& access, const std::string& what);
  void touch_by_host(Word& word, const Access& access, const std::string& what);
  void touch_by_device(const Access& access, const Process& process, Operation& operation);

  std::unordered_map<const Process*, ProcessState> processes_;
  bool has_common_memory_ = false, has_functions_ = false;  // Once there are, it is always asked.
  std::vector<Pending> pending_;
  std::unordered_map<uintptr_t, Word> words_;  // By address / 4.
  std::unordered_map<const HostThread*, Operation*> functions_;
};

extern HostRaces run_host_races;
inline HostRaces& host_races() { return run_host_races; }

}  // namespace cuco::vcluster
