// The runner's side of device/cuco/harness.h. How often the region is called, on which inputs, when the clock runs and
// what is captured is decided here; a program that does not play along gets a finding and the run ends.
//
// In a run that is timed, ranks meet before and after every call: all of them have come, nothing is under way on any
// device, inputs are drawn or outputs looked at, and all leave at the same instant. In a run that verifies they meet
// before the first call and after the last only. Between two calls each rank by itself reads its outputs, takes its
// time, and writes new inputs: local work of the program, for the race detector too, so that a peer that does not wait
// for it is found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vcluster/run_report.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/harness/buffers.h"
#include "vcluster/runtime/harness/call_count.h"
#include "vcluster/runtime/harness/slots.h"

namespace cuco::vcluster {

class Device;
struct HostThread;
struct Process;

struct HarnessOptions {
  bool expected = false;             // The program was built for the harness and has to call it.
  bool plain = false;                // It was not, and its outputs are captured all the same.
  std::vector<Watch> watches;        // Of a plain program: see plain_outputs.h.
  std::vector<Upload> perturbed;     // Likewise: see plain_inputs.h.
  std::vector<ReadBack> read_backs;  // Likewise: see plain_outputs.h.
  std::string capture_path;          // Empty: outputs are not written.
  bool sampled = false;              // Data are not valid: large buffers are left alone, nothing is captured.
  bool compared = false;             // But of the last call what is valid: see validity.h.
  std::vector<WantedPlace> wanted;   // Then: what had better be.
  std::string run_key;               // See vcluster/input_keys.h.
  CallLoop loop;
  uint32_t warmups = 1;  // Iterations that are not timed; their outputs are captured all the same.
  uint32_t iterations = 3;
  bool nudged = false;  // The timed iterations are repeated, untimed, with their inputs nudged up, then down.
};

class Harness {
 public:
  Harness();

  // What the program calls, on the host thread of the rank.
  void open(int rank, int rank_count);
  void add_buffer(const cuco_buffer& said);
  [[noreturn]] void refuse(const std::string& reason);
  bool begin();
  void end();

  // Nothing is due any more, or only threads that sleep and wake. True when that was what the ranks waited for, and
  // they go on.
  bool settle();

  // All ranks' region is being called for the so-manieth time.
  bool is_in_iteration(uint32_t iteration) const;

  // The running kernel uses a signal, barrier, flag or piece of a window by which calls may be told apart.
  void use_slot(const void* address, size_t bytes);
  // The same, if the memory lies in a window.
  void use_window_slot(uintptr_t address, size_t bytes);

  // Of a run whose results are compared: where the places lie that had better be valid.
  const std::vector<uintptr_t>& wanted() const { return wanted_; }

  // Whether the region was called, and how often by every rank so far.
  bool has_begun() const { return is_started_; }
  uint32_t call_count() const;

  // A rank that leaves before the harness has let it go ends the run.
  void on_thread_end(const HostThread& thread);
  void on_process_end(const Process& process, int exit_code);

  // The times of all iterations, and the timed region of every device: the iteration that is the median. Of a loop, the
  // number of calls.
  void fill(RunReport& report) const;

 private:
  enum class State { Opened, AtBegin, InRegion, AtEnd, Over };
  struct Span {
    Time begin = 0, end = 0;
  };
  struct Participant {
    int rank = 0;
    HostThread* thread = nullptr;
    Device* device = nullptr;  // The one its thread had chosen when the region began.
    State state = State::Opened;
    uint32_t iteration = 0;       // Of its current call, or of the next.
    size_t threads_at_begin = 0;  // Host threads that there had been in its process.
    std::vector<HarnessBuffer> buffers;
    Capture captured;
    std::vector<Span> spans;  // By iteration.
  };

  Participant& current(const char* call);
  bool goes_on_alone(const Participant& self);
  void enter(Participant& self, State state, const char* what);
  bool all_are(State state) const;
  void meet_at_begin();
  void meet_at_end();
  void prepare_comparison();
  void start_call(Participant& self);
  void hide_pause(const Participant& self);
  void start_next_call(Participant& self);
  void look_at_outputs(Participant& self);
  void close_call(Participant& self);
  bool owns(const Participant& self, const Device& device) const;
  bool shares_process() const;
  void learn_own_work(const Participant& self) const;
  void check_same_buffers();
  void check_buffers_alive(const Participant& self);
  void check_returned(const Participant& self);
  void check_idle(const char* when);
  void check_threads(const Participant& self);
  void write_capture(const Participant& self);
  std::string where(const Participant& self) const;
  uint32_t iteration_count() const;
  bool is_timed(uint32_t iteration) const;
  DrawnInputs inputs_of(uint32_t iteration) const;
  Time length_of(uint32_t iteration) const;
  uint32_t median_iteration() const;
  void set_region(uint32_t iteration) const;

  std::vector<std::unique_ptr<Participant>> ranks_;  // In order of their ranks.
  size_t rank_count_ = 0;
  int spare_turns_ = 0;      // For threads that spin, before they count as work that does not end.
  bool is_started_ = false;  // The region was called.
  bool has_capture_ = false;
  std::vector<uintptr_t> wanted_;
  Slots slots_;
  CallCount call_count_;
};

Harness& harness();

// A call of a rank's region in a loop, which the rank takes its time before.
struct NextCall {
  uint32_t number = 0;
  int rank = 0;
  size_t rank_count = 0;
  Time length = 0;  // Of the first call.
};
// Every schedule but the first has another slow rank, which lets the others get ahead by several calls, where they do
// not wait for it, before every third of its own.
Time pause_before(const NextCall& next);

// What was submitted to the device and is over, the running host thread may count on.
void learn_work_of(const Device& device);

// Of all kernels so far.
uint64_t operations_done();

}  // namespace cuco::vcluster
