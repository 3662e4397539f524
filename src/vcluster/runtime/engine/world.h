// The one run that this process makes: its clock, processes, devices and findings. Everything executes on one OS
// thread; what looks concurrent takes turns at the points where it waits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/profile.h"
#include "vcluster/run_report.h"
#include "vcluster/runtime/api/host/process_state.h"
#include "vcluster/runtime/api/host/program_heap.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/engine/fiber.h"
#include "vcluster/runtime/engine/stack_bank.h"
#include "vcluster/runtime/harness/harness.h"
#include "vcluster/runtime/timing/host_work.h"
#include "vcluster/runtime/timing/timeline.h"

namespace cuco::vcluster {

struct Process;
class Device;

// How long things take, in picoseconds, from the hardware profile.
struct Costs {
  Time launch, kernel_gap, stream_sync, event, collective, flag_hop;
  Time host_call = 300 * kNanosecond;  // Estimate: a runtime call that only enqueues.
  Time launch_call = host_call, collective_call = host_call;
  Time poll = 0;
};

struct RunOptions {
  std::string image;  // The program as a shared object.
  std::vector<std::string> arguments;
  std::string report_path;
  std::string trace_path;     // Empty: no trace.
  std::string accesses_path;  // Empty: which bytes blocks touch is not kept. Needs a checking build.
  std::string scratch;        // A folder for the per-rank copies of the image.
  std::string header_folder;  // Of the stand-in headers, which are not the program's own text.
  uint32_t rank_count = 2;
  uint32_t node_count = 1;
  bool ranks_are_processes = true;  // False: one process sees all devices of its node.
  uint64_t seed = 0;                // 0: every choice as it comes; otherwise delays and orders are drawn.
  uint32_t limit_s = 60;            // Of processor time.
  uint64_t memory_mib_max = 0;      // Of the host's memory; 0: half of what there is.
  bool check = false;               // The image reports its memory accesses.
  bool sample = false;              // A few blocks stand for the others of their grid; data are not valid.
  bool leaves_out_bodies = true;    // In a sampled run.
  bool confined = false;            // The program is not trusted: see confinement.h.
  HarnessOptions harness;
  model::HardwareProfile profile;
};

// A thread of host code.
struct HostThread {
  Fiber* fiber = nullptr;
  Process* process = nullptr;
  int number = 0;
  uintptr_t handle = 0;     // By which the program knows it.
  bool in_library = false;  // While it waits: whether in a library's code.
  int device = 0;           // As the process numbers them.
  int last_error = 0;
  int error_number = 0;            // errno while it does not run.
  std::string waits_for;           // Empty while it can run.
  const char* place = nullptr;     // file:line of the library call it is in; null when that is not known.
  const char* operands = nullptr;  // Of that call, as cuco/host_place.h has them; null: not known.
  unsigned element_bytes = 0;      // Likewise.
  bool ended = false;
  bool is_spare = false;  // Of a team of OpenMP that has no region to execute.
  void* result = nullptr;
  std::vector<HostThread*> joiners;
  size_t waited_step = WorkOrder::kNone;  // For what it has waited on streams.
  HostWork work;
  void* (*entry)(void*) = nullptr;
  void* argument = nullptr;
};

struct Process {
  explicit Process(int number) : rank(number), heap(number) {}

  int rank;
  ProgramHeap heap;
  int node = 0;
  int local_rank = 0;
  void* image = nullptr;
  char* shared_begin = nullptr;  // The image's __shared__ variables.
  size_t shared_bytes = 0;
  char* device_begin = nullptr;  // The image's __device__ variables.
  size_t device_bytes = 0;
  std::map<const Device*, char*> device_copies;  // Of those variables; the first device uses the image's own.
  std::vector<Device*> devices;
  std::map<const void*, size_t> static_shared_bytes;  // By function, as far as the image says.
  std::vector<std::unique_ptr<HostThread>> threads;
  bool ended = false;
  int exit_code = 0;
  Time end = 0;
  Time core_free = 0;  // When all that its host threads have done so far is done.
  int open_groups = 0;
  ProcessState state;
};

// How much of a program's work is over, by kind; sends count as collectives, memsets as copies.
struct Ended {
  uint64_t blocks = 0, kernels = 0, collectives = 0, copies = 0;

  uint64_t all() const { return blocks + kernels + collectives + copies; }
};

class World {
 public:
  explicit World(RunOptions options);
  World(const World&) = delete;

  // Runs the program to its end and writes the report. Does not return.
  [[noreturn]] void run();

  EventQueue events;
  RunOptions options;
  Costs costs;
  Random random;
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<std::unique_ptr<Device>> devices;  // By world rank.
  HostThread* current_host = nullptr;
  Timeline timeline;
  Ended done;
  uint64_t blocks_total = 0, blocks_skipped = 0;  // Skipped: others of their grid stand for them.
  std::map<std::string, BodyReport> bodies;       // By function, place and kernel.
  std::map<std::pair<std::string, std::string>, LaunchReport> launches;  // By place and kernel.

  Time now() const { return events.now(); }

  // Host threads.
  HostThread* start_thread(Process& process, void* (*entry)(void*), void* argument);
  void wait(std::string reason);  // Suspends the current host thread until wake().
  void wake(HostThread& thread, Time at);
  void pass_time(Time amount);  // The current host thread is busy for so long, after what it owes for its own work.
  void settle_host_work();  // It is busy for what it owes, if anything. Every call that others can notice does this.
  // When a core of the process could be done with so much work, after all it has to do.
  Time occupy_core(Process& process, Time amount);
  Time compute_for(Time due);
  [[noreturn]] void end_process(int exit_code);
  [[noreturn]] void end_thread(void* result);

  // Anything that is not mere polling; while it happens the run is not stuck.
  void note_progress() {
    last_progress_ = now();
    idle_turns_ = idle_rounds_ = 0;
  }

  // Runs when the program has come to its own end.
  void at_end(std::function<void()> check) { end_checks_.push_back(std::move(check)); }
  // Runs when it cannot go on.
  void when_stuck(std::function<void()> check) { stuck_checks_.push_back(std::move(check)); }

  // Whether a copy of so many bytes is made. A sampled run moves small ones only: flags and counts; see validity.h for
  // what else moves.
  bool moves(size_t bytes) const { return !options.sample || bytes <= (64u << 10); }

  // One finding a cause: what several ranks do alike, but for the rank's own number in the text, becomes one finding
  // with all of them. Gives its number.
  size_t add_finding(std::string kind, int rank, std::string text, model::Severity severity = model::Severity::Error);
  void add_warning(std::string kind, int rank, std::string text);
  // The finding of that number holds for this rank too.
  void add_rank(size_t finding, int rank);
  [[noreturn]] void end_run(std::string verdict, int exit_code);

  FiberPool host_stacks;
  StackBanks device_stacks;
  Fiber scheduler;

 private:
  void make_devices();
  void make_processes();
  void resume(HostThread& thread);
  void leave_host();
  bool all_ended() const;
  size_t add(RunFinding finding);
  [[noreturn]] void end_stuck(const std::string& kind);
  bool may_go_on();
  void settle();  // Nothing is due: wake the pollers once more, or say that the run is stuck.

  std::vector<RunFinding> findings_;
  std::vector<std::string> finding_forms_;  // What each says with its rank's number left out.
  std::vector<std::function<void()>> end_checks_, stuck_checks_;
  Time last_progress_ = 0;
  size_t idle_turns_ = 0;   // Given to threads that poll since anything last changed.
  size_t idle_rounds_ = 0;  // Those in a row in which all of them came back to where they were.
  uint64_t swaps_before_idle_ = 0, changes_before_turn_ = 0;
};

extern World* world;

// " at FILE:LINE" of the library call that the running host thread is in; empty when it is not known.
std::string host_place();

// What the program calls the first (0) or second (1) argument of that call; empty when it is not known.
std::string host_operand(size_t index);

// The rank of the process whose host thread is running.
Process& current_process();

}  // namespace cuco::vcluster
