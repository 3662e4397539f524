// The runner of a program on real GPUs: linked into the program, it defines the functions of cuco/harness_abi.h. It
// draws inputs, poisons outputs, starts ranks together, times each call of the region and writes what the judge reads
// to a folder: see runner/settings.h, runner/report.h and runner/capture.h. For a program without the harness it defines
// those of cuco/region_marks.h: inputs are the program's own, and outputs what it copies to the host (runner/plain.h).
//
// Outputs of every iteration are captured, the timed ones among them: what is fast must be right in the same run. That
// disturbs no time, since inputs are drawn and outputs poisoned between any two iterations in any case, and it is
// equal for all programs.
//
// gpu_interposed.cpp belongs to it. Built with -DCUCO_DRAW_ON_DEVICE -fmad=false, and linked with the shared CUDA
// runtime. Ranks are MPI processes, or threads of one process.
#include "cuco/harness_abi.h"
#include "cuco/region_marks.h"
#include "cuco/runner/core_waits.h"
#include "cuco/runner/launches.h"
#include "cuco/runner/nic_marks.h"
#include "cuco/runner/plain.h"
#include "cuco/runner/watchdog.h"

namespace cuco::runner {

namespace {

thread_local Participant* self = nullptr;
thread_local Clock::time_point common_start;
thread_local CoreWaits core_waits;

// Never destroyed: its thread goes on while the process ends.
Watchdog& watchdog() {
  static Watchdog& dog = *new Watchdog;
  return dog;
}

NicMarks& nic_marks() {
  static NicMarks& marks = *new NicMarks;
  return marks;
}

[[noreturn]] void end_with(const std::string& line) {
  if (self) self->report().line(line);
  std::fprintf(stderr, "%s\n", line.c_str());
  _exit(2);
}

Participant& current(const char* call) {
  if (!self) end_with(std::string("misuse ") + call + " is called on a thread that has not opened a harness");
  return *self;
}

std::string fault_of(const cuco_buffer& buffer) {
  if (!buffer.name || !*buffer.name) return "a buffer has no name";
  std::string name = std::string("buffer ") + buffer.name;
  if (buffer.element > static_cast<uint32_t>(Element::Float8E5M2)) return name + " has no type";
  if (buffer.role > kScratch) return name + " has no role";
  if (buffer.count > 0 && !buffer.pointer) return name + " is a null pointer";
  return "";
}

void start_if_first(Participant& rank) {
  if (rank.iteration() > 0) return;
  rank.start();
  watchdog().watch(&rank);
}

bool is_timed(const Participant& rank) {
  return rank.iteration() >= settings().warmups && (!settings().repeats || rank.iteration() < settings().call_count());
}

std::string call_line(const Participant& rank, Clock::duration taken, double waited_us) {
  std::chrono::duration<double, std::micro> us = taken;
  return "call " + std::to_string(rank.iteration()) + (is_timed(rank) ? " 1 " : " 0 ") + std::to_string(us.count()) +
         " " + std::to_string(waited_us);
}

// A device that does not become idle hangs as much as a region that does not return.
void wait_until_idle(Participant& rank) {
  Watchdog::arm(rank);
  cudaError_t error = synchronize_devices();
  Watchdog::disarm(rank);
  rank.end_on_error(error);
}

void begin_call(Participant& rank) {
  rank.report().line("enter " + std::to_string(rank.iteration()));
  launches().forget_all();
  core_waits.begin();
  common_start = rank.rendezvous().start_together();
  if (is_timed(rank)) nic_marks().begin();
  Watchdog::arm(rank);
  open_regions()++;
}

// What the call's line in the report will be, once all that belongs to it is done.
std::string end_call(Participant& rank) {
  Clock::duration taken = Clock::now() - common_start;
  nic_marks().end();
  double waited_us = core_waits.longest_us();
  open_regions()--;
  Watchdog::disarm(rank);
  return call_line(rank, taken, waited_us);
}

// The ranks of this process that came to the region of a program without the harness. Never destroyed.
struct PlainRanks {
  std::mutex mutex;
  std::vector<Participant*> all;
};
PlainRanks& plain_ranks() {
  static PlainRanks& ranks = *new PlainRanks;
  return ranks;
}

void say_over() {
  std::lock_guard<std::mutex> lock(plain_ranks().mutex);
  for (Participant* rank : plain_ranks().all) rank->report().line("over");
}

Participant& plain_rank() {
  if (self) return *self;
  Membership who = identity_of_caller();
  self = new Participant(who.rank, who.rank_count);
  if (!self->report().is_open()) _exit(2);
  self->report().line("ranks " + std::to_string(who.rank_count));
  std::lock_guard<std::mutex> lock(plain_ranks().mutex);
  if (plain_ranks().all.empty()) std::atexit(say_over);
  plain_ranks().all.push_back(self);
  return *self;
}

// Whose copies this thread makes: a thread that was not at the region copies for the first rank of the process.
Participant* copying_rank() {
  std::lock_guard<std::mutex> lock(plain_ranks().mutex);
  if (plain_ranks().all.empty()) return nullptr;
  return self ? self : plain_ranks().all.front();
}

}  // namespace

bool wants_copies() {
  const Participant* rank = copying_rank();
  return rank && copies_are_outputs(*rank);
}

void on_copied_to_host(const void* bytes, uint64_t count) {
  static thread_local HostCopies copies;
  Participant& rank = *copying_rank();
  std::ofstream file(settings().folder + "/outputs." + std::to_string(rank.rank()), std::ios::binary | std::ios::app);
  file << copies.record(rank, bytes, count);
  if (copies.is_sampled()) rank.report().line("sampled");
}

}  // namespace cuco::runner

extern "C" {

void cuco_harness_open(int rank, int rank_count) {
  using namespace cuco::runner;
  if (self || rank < 0 || rank >= rank_count)
    end_with("misuse the harness is opened as rank " + std::to_string(rank) + " of " + std::to_string(rank_count));
  self = new Participant(rank, rank_count);
  if (!self->report().is_open()) _exit(2);
}

void cuco_harness_buffer(const struct cuco_buffer* buffer) {
  using namespace cuco::runner;
  Participant& rank = current("cuco_harness_buffer");
  if (std::string fault = fault_of(*buffer); !fault.empty()) end_with("misuse " + fault);
  rank.add(*buffer);
}

void cuco_harness_refuse(const char* reason) {
  using namespace cuco::runner;
  current("cuco_harness_refuse").report().line(std::string("refused ") + reason);
}

int cuco_harness_begin(void) {
  using namespace cuco::runner;
  Participant& rank = current("cuco_harness_begin");
  start_if_first(rank);
  if (rank.is_over()) {
    rank.report().line("over");
    return 0;
  }
  rank.prepare();
  begin_call(rank);
  return 1;
}

void cuco_harness_end(void) {
  using namespace cuco::runner;
  Participant& rank = current("cuco_harness_end");
  std::string line = end_call(rank);
  rank.take_outputs_aside();
  for (const std::string& kernel : launches().unfinished())
    rank.report().line("left " + std::to_string(rank.iteration()) + " " + kernel);
  rank.rendezvous().meet();
  wait_until_idle(rank);
  rank.rendezvous().meet();
  rank.write_outputs();
  rank.report().line(line);
  rank.advance();
}

// What came before on the GPU is not the region's.
void cuco_region_begins(void) {
  using namespace cuco::runner;
  Participant& rank = plain_rank();
  start_if_first(rank);
  wait_until_idle(rank);
  begin_call(rank);
}

// What the region has begun on the GPU is its own, whether or not the program waits for it before the mark.
int cuco_region_goes_on(void) {
  using namespace cuco::runner;
  Participant& rank = current("cuco_region_goes_on");
  cudaError_t error = synchronize_devices();
  std::string line = end_call(rank);
  rank.end_on_error(error);
  rank.report().line(line);
  rank.advance();
  return settings().repeats && rank.iteration() < plain_call_count() ? 1 : 0;
}
int cuco_last_region_goes_on(void) { return cuco_region_goes_on(); }
}
