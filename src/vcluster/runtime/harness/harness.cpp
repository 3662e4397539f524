#include "vcluster/runtime/harness/harness.h"

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/api/nccl/device_comm.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/pollers.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/access.h"
#include "vcluster/runtime/harness/plain_loop.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

constexpr int kSpareTurns = 1000;

[[noreturn]] void end_with(const char* kind, int rank, const std::string& text) {
  world->add_finding(kind, rank, text);
  world->end_run("fault", 1);
}

// The last of the stream's operations that is not over, or null.
const Operation* unfinished(const Stream& stream) { return stream.idle() ? nullptr : stream.last().get(); }

bool loops() { return world->options.harness.loop.calls > 0; }

void report_leak(int rank, const std::string& text) {
  report_once("leaking_work", rank, concat("rank ", rank), concat("rank ", rank, ": ", text));
}

bool sleeps_or_runs(const HostThread& thread) { return thread.waits_for.empty() || thread.waits_for == "time to pass"; }

}  // namespace

void learn_work_of(const Device& device) {
  for (const std::unique_ptr<Stream>& stream : device.streams) {
    if (!stream->last() || !stream->idle()) continue;
    races().host_learns(stream->last()->race_id);
    host_races().on_wait(*stream->last());
  }
}

uint64_t operations_done() { return operations_of(cost_counters()); }

Time pause_before(const NextCall& next) {
  constexpr Time kPauseMax = kSecond / 20;
  uint64_t seed = world->options.seed;
  if (seed == 0) return 0;
  auto call = static_cast<uint64_t>(next.length) + 1;
  bool is_slow = static_cast<uint64_t>(next.rank) == seed % next.rank_count;
  uint64_t pause = is_slow && next.number % 3 == 1 ? (2 + world->random.below(8)) * call : world->random.below(call);
  return std::min(static_cast<Time>(pause), kPauseMax);
}

Harness& harness() {
  static Harness run;
  return run;
}

Harness::Harness() : call_count_(world->options.harness.loop) {}

uint32_t Harness::iteration_count() const {
  const HarnessOptions& options = world->options.harness;
  return options.warmups + (options.nudged ? 3 : 1) * options.iterations;
}

bool Harness::is_timed(uint32_t iteration) const {
  const HarnessOptions& options = world->options.harness;
  return iteration >= options.warmups && iteration < options.warmups + options.iterations;
}

DrawnInputs Harness::inputs_of(uint32_t iteration) const {
  const HarnessOptions& options = world->options.harness;
  if (!options.nudged || iteration < options.warmups || is_timed(iteration)) return {iteration, 0};
  uint32_t after = iteration - options.warmups;
  return {options.warmups + after % options.iterations, after / options.iterations == 1 ? 1 : -1};
}

std::string Harness::where(const Participant& self) const {
  if (self.state == State::Opened && !is_started_) return "before its region was called";
  if (self.state == State::InRegion) return concat("inside its region, in iteration ", self.iteration);
  return "between two calls of its region";
}

Harness::Participant& Harness::current(const char* call) {
  for (const std::unique_ptr<Participant>& rank : ranks_)
    if (rank->thread == world->current_host) return *rank;
  end_with("harness_misuse", current_process().rank,
           concat(call, " is called on a host thread that has not opened a harness"));
}

void Harness::open(int rank, int rank_count) {
  auto count = static_cast<size_t>(std::max(rank_count, 0));
  int process_rank = current_process().rank;
  bool fits = rank >= 0 && rank < rank_count && (ranks_.empty() || count == rank_count_);
  if (world->options.ranks_are_processes) fits = fits && rank == process_rank && count == world->processes.size();
  if (!fits)
    end_with("harness_misuse", process_rank,
             concat("the harness of process ", process_rank, " is opened as rank ", rank, " of ", rank_count));
  for (const std::unique_ptr<Participant>& other : ranks_)
    if (other->rank == rank || other->thread == world->current_host)
      end_with("harness_misuse", rank, concat("a second harness is opened by rank ", rank));
  rank_count_ = count;
  auto self = std::make_unique<Participant>();
  self->rank = rank;
  self->thread = world->current_host;
  auto after = [&](const std::unique_ptr<Participant>& other) { return other->rank > rank; };
  ranks_.insert(std::find_if(ranks_.begin(), ranks_.end(), after), std::move(self));
}

void Harness::add_buffer(const cuco_buffer& said) {
  Participant& self = current("cuco_harness_buffer");
  if (std::string fault = fault_of(said); !fault.empty()) end_with("harness_misuse", self.rank, fault);
  if (self.state != State::Opened || is_started_)
    end_with("harness_misuse", self.rank, concat("buffer ", said.name, " is named after the first call of the region"));
  auto same_role = [&](const HarnessBuffer& other) { return other.said.role == said.role; };
  HarnessBuffer buffer;
  buffer.said = said;
  buffer.name = said.name;
  buffer.index = static_cast<uint32_t>(std::count_if(self.buffers.begin(), self.buffers.end(), same_role));
  auto address = reinterpret_cast<uintptr_t>(said.pointer);
  auto owner = static_cast<size_t>(device_of(address));
  if (owner < world->devices.size()) world->devices[owner]->memory.note_buffer(address, buffer.bytes());
  self.buffers.push_back(std::move(buffer));
}

void Harness::refuse(const std::string& reason) {
  world->add_finding("cannot_run", current_process().rank, reason);
  world->end_run("exit", 2);
}

bool Harness::is_in_iteration(uint32_t iteration) const {
  return is_started_ &&
         std::all_of(ranks_.begin(), ranks_.end(), [&](const auto& rank) { return rank->iteration == iteration; });
}

bool Harness::begin() {
  world->settle_host_work();
  Participant& self = current("cuco_harness_begin");
  if (self.state != State::Opened)
    end_with("harness_misuse", self.rank, concat("rank ", self.rank, " begins a region inside its region"));
  if (goes_on_alone(self))
    start_next_call(self);
  else
    enter(self, State::AtBegin, "the other ranks to begin their regions");
  return self.state == State::InRegion;
}

bool Harness::goes_on_alone(const Participant& self) {
  return loops() && self.iteration > 0 && call_count_.goes_on(self.iteration, operations_done());
}

void Harness::start_next_call(Participant& self) {
  world->pass_time(pause_before({self.iteration, self.rank, rank_count_, length_of(0)}));
  close_call(self);
  note_buffers_written(&self, self.buffers, self.iteration);
  start_call(self);
}

void Harness::end() {
  world->settle_host_work();
  Participant& self = current("cuco_harness_end");
  if (self.state != State::InRegion)
    end_with("harness_misuse", self.rank, concat("rank ", self.rank, " ends a region that it did not begin"));
  self.spans.back().end = world->now();
  // What takes no time, such as the record of an event, may still happen.
  world->pass_time(0);
  look_at_outputs(self);
  if (!loops()) return enter(self, State::AtEnd, "the other ranks to end their regions");
  self.iteration++;
  self.state = State::Opened;
}

void Harness::look_at_outputs(Participant& self) {
  auto rank = static_cast<uint32_t>(self.rank);
  check_buffers_alive(self);
  if (loops()) {
    learn_own_work(self);
    note_outputs_read(&self, self.buffers, self.iteration);
  }
  bool is_compared = keeps_validity && !validity().is_apart;
  self.captured = is_compared ? capture_parts(self.buffers, rank, self.iteration)
                              : capture_outputs(self.buffers, rank, self.iteration);
  check_outputs_written(self.buffers, rank, self.iteration);
  check_returned(self);
  if (!shares_process()) check_threads(self);
}

void Harness::enter(Participant& self, State state, const char* what) {
  self.state = state;
  world->note_progress();
  if (all_are(state)) {
    spare_turns_ = kSpareTurns;
    if (shares_process() && is_started_)
      for (const std::unique_ptr<Participant>& rank : ranks_) check_threads(*rank);
  }
  world->wait(what);
  for (const std::unique_ptr<Device>& device : world->devices) learn_work_of(*device);
}

bool Harness::all_are(State state) const {
  return ranks_.size() == rank_count_ &&
         std::all_of(ranks_.begin(), ranks_.end(), [&](const auto& rank) { return rank->state == state; });
}

bool Harness::settle() {
  if (ranks_.empty() || (!all_are(State::AtBegin) && !all_are(State::AtEnd))) return false;
  if (spare_turns_-- > 0 && pollers().wake_all()) return true;
  if (all_are(State::AtBegin))
    meet_at_begin();
  else
    meet_at_end();
  for (const std::unique_ptr<Participant>& rank : ranks_) world->wake(*rank->thread, world->now());
  world->note_progress();
  return true;
}

void Harness::meet_at_begin() {
  check_same_buffers();
  check_idle("when the region begins");
  is_started_ = true;
  if (keeps_validity) prepare_comparison();
  for (const std::unique_ptr<Participant>& rank : ranks_) {
    bool ends_loop = loops() && rank->iteration > 0;
    if (ends_loop) close_call(*rank);
    if (ends_loop || (!loops() && rank->iteration == iteration_count()))
      rank->state = State::Over;
    else
      start_call(*rank);
  }
}

// Only the last call is compared. What those before it write is neither forgotten nor right.
void Harness::prepare_comparison() {
  validity().is_apart = ranks_.front()->iteration + 1 < iteration_count();
  wanted_.clear();
  for (const std::unique_ptr<Participant>& rank : ranks_)
    for (uintptr_t address :
         addresses_of(world->options.harness.wanted, rank->buffers, static_cast<uint32_t>(rank->rank)))
      wanted_.push_back(address);
}

// How long a rank has waited between two calls would tell it whether it is timed or verified.
void Harness::hide_pause(const Participant& self) {
  const std::string& run_key = world->options.harness.run_key;
  if (run_key.empty()) return;
  Random random(keyed_seed(run_key, concat("clock of rank ", self.rank, " in call ", self.iteration)));
  self.device->clock_lead += static_cast<Time>(random.below(static_cast<uint64_t>(kSecond / 100)));
}

void Harness::start_call(Participant& self) {
  check_buffers_alive(self);
  prepare_buffers(self.buffers, rank_key_of(world->options.harness.run_key, static_cast<uint32_t>(self.rank)),
                  inputs_of(self.iteration));
  self.state = State::InRegion;
  self.device = self.thread->process->devices[static_cast<size_t>(self.thread->device)];
  hide_pause(self);
  self.spans.push_back({world->now(), world->now()});
  if (self.iteration == 0 || !shares_process()) self.threads_at_begin = self.thread->process->threads.size();
}

void Harness::meet_at_end() {
  check_idle("after the region returned");
  for (const std::unique_ptr<Participant>& rank : ranks_) {
    close_call(*rank);
    rank->iteration++;
    rank->state = State::Opened;
  }
}

// Whatever has happened since the region returned, its outputs are as it left them.
void Harness::close_call(Participant& self) {
  std::string changed = keeps_validity ? "" : mark_changed(self.buffers, self.captured);
  if (!changed.empty())
    report_leak(self.rank, concat("work went on after the region returned and changed its output ", changed));
  write_capture(self);
}

void Harness::check_same_buffers() {
  const std::vector<HarnessBuffer>& first = ranks_.front()->buffers;
  auto same = [](const HarnessBuffer& a, const HarnessBuffer& b) {
    return a.name == b.name && a.said.role == b.said.role && a.said.element == b.said.element;
  };
  for (const std::unique_ptr<Participant>& rank : ranks_)
    if (!std::equal(first.begin(), first.end(), rank->buffers.begin(), rank->buffers.end(), same))
      end_with("harness_misuse", rank->rank,
               concat("ranks ", ranks_.front()->rank, " and ", rank->rank, " name different buffers to the harness"));
  auto is_output = [](const HarnessBuffer& buffer) { return buffer.said.role == kOutputRole; };
  if (std::none_of(first.begin(), first.end(), is_output))
    end_with("harness_misuse", -1, "the program names no output to the harness");
}

void Harness::check_buffers_alive(const Participant& self) {
  for (const HarnessBuffer& buffer : self.buffers) {
    cuco_buffer said = buffer.said;
    said.name = buffer.name.c_str();
    if (std::string fault = fault_of(said); !fault.empty()) end_with("harness_misuse", self.rank, fault);
  }
}

// The devices that the rank surely works with: others may serve ranks whose region has not returned.
bool Harness::owns(const Participant& self, const Device& device) const {
  return &device == self.device || (world->options.ranks_are_processes && device.rank == self.rank) || rank_count_ == 1;
}

bool Harness::shares_process() const { return !world->options.ranks_are_processes && rank_count_ > 1; }

void Harness::learn_own_work(const Participant& self) const {
  for (const std::unique_ptr<Device>& device : world->devices)
    if (owns(self, *device)) learn_work_of(*device);
}

void Harness::check_returned(const Participant& self) {
  for (const std::unique_ptr<Device>& device : world->devices) {
    if (!owns(self, *device)) continue;
    for (const std::unique_ptr<Stream>& stream : device->streams)
      if (const Operation* left = unfinished(*stream))
        report_leak(self.rank, concat(left->what, " is still under way when the region returns; it must wait for it"));
  }
}

void Harness::check_idle(const char* when) {
  for (const std::unique_ptr<Device>& device : world->devices)
    for (const std::unique_ptr<Stream>& stream : device->streams)
      if (const Operation* left = unfinished(*stream))
        report_leak(device->rank, concat(left->what, " is still running ", when));
}

void Harness::check_threads(const Participant& self) {
  const Process& process = *self.thread->process;
  for (size_t number = self.threads_at_begin; number < process.threads.size(); number++) {
    const HostThread& thread = *process.threads[number];
    if (!thread.ended && !thread.is_spare && sleeps_or_runs(thread))
      report_leak(process.rank, concat("host thread ", number, ", started in the region, outlives it"));
  }
}

void Harness::write_capture(const Participant& self) {
  const std::string& path = world->options.harness.capture_path;
  if (path.empty() || (world->options.harness.sampled && !keeps_validity)) return;
  std::ofstream file(path, has_capture_ ? std::ios::binary | std::ios::app : std::ios::binary | std::ios::trunc);
  has_capture_ = true;
  for (const CapturedOutput& output : self.captured) file << to_record(output);
  if (!file.flush()) end_with("capture", -1, concat("the outputs cannot be written to ", path));
}

namespace {

// Whether it matters for how often regions are called. The loop of a plain program says when it was too short.
bool slots_count() {
  const CallLoop& loop = world->options.harness.loop;
  return world->options.harness.plain ? loop.calls > 1 : loop.calls_max > loop.calls;
}

}  // namespace

void Harness::use_slot(const void* address, size_t bytes) {
  if (!slots_count() || !slots_.use(reinterpret_cast<uintptr_t>(address), bytes)) return;
  if (world->options.harness.plain) return plain_loop().on_new_slot(current_block->grid().device().rank);
  for (const std::unique_ptr<Participant>& rank : ranks_)
    if (owns(*rank, current_block->grid().device())) call_count_.on_new_slot(rank->iteration);
}

void Harness::use_window_slot(uintptr_t address, size_t bytes) {
  if (!slots_count() || !lies_in_window(reinterpret_cast<const void*>(address))) return;
  use_slot(reinterpret_cast<const void*>(address), bytes);
}

void Harness::on_thread_end(const HostThread& thread) {
  for (const std::unique_ptr<Participant>& rank : ranks_)
    if (rank->thread == &thread && rank->state != State::Over)
      end_with("left_early", rank->rank, concat("rank ", rank->rank, " ends its host thread ", where(*rank)));
}

void Harness::on_process_end(const Process& process, int exit_code) {
  size_t opened = 0;
  for (const std::unique_ptr<Participant>& rank : ranks_) {
    if (rank->thread->process != &process) continue;
    opened++;
    if (rank->state != State::Over)
      end_with("left_early", rank->rank,
               concat("rank ", rank->rank, " ends with exit code ", exit_code, " ", where(*rank)));
  }
  size_t wanted = world->options.ranks_are_processes ? 1 : std::max<size_t>(rank_count_, 1);
  bool is_needed = world->options.harness.expected || !ranks_.empty();
  if (!is_needed || opened >= wanted) return;
  end_with("left_early", process.rank,
           concat("process ", process.rank, " ends with exit code ", exit_code, " after ", opened, " of ", wanted,
                  " ranks of it opened the harness"));
}

// Of the ranks that have made it.
Time Harness::length_of(uint32_t iteration) const {
  Time longest = 0;
  for (const std::unique_ptr<Participant>& rank : ranks_)
    if (iteration < rank->spans.size())
      longest = std::max(longest, rank->spans[iteration].end - rank->spans[iteration].begin);
  return longest;
}

// Of an even number the faster of the two in the middle, so that it is an iteration that took place.
uint32_t Harness::median_iteration() const {
  std::vector<uint32_t> timed;
  for (uint32_t i = 0; i < iteration_count(); i++)
    if (is_timed(i)) timed.push_back(i);
  auto faster = [&](uint32_t a, uint32_t b) { return std::pair(length_of(a), a) < std::pair(length_of(b), b); };
  std::sort(timed.begin(), timed.end(), faster);
  return timed[(timed.size() - 1) / 2];
}

void Harness::set_region(uint32_t iteration) const {
  for (const std::unique_ptr<Participant>& rank : ranks_)
    for (const std::unique_ptr<Device>& device : world->devices)
      if (rank_count_ == 1 || device.get() == rank->device)
        world->timeline.set_region(device->rank, rank->spans[iteration].begin, rank->spans[iteration].end);
}

uint32_t Harness::call_count() const {
  uint32_t made = ranks_.empty() ? 0 : UINT32_MAX;
  for (const std::unique_ptr<Participant>& rank : ranks_) made = std::min(made, rank->iteration);
  return made;
}

void Harness::fill(RunReport& report) const {
  uint32_t made = call_count();
  if (loops()) {
    report.calls = made;
    report.calls_were_cut = call_count_.was_cut();
    if (made > 0) set_region(0);
    return;
  }
  if (made == 0 || made < iteration_count() || world->options.harness.iterations == 0) return;
  set_region(median_iteration());
  for (const std::unique_ptr<Participant>& rank : ranks_)
    for (uint32_t i = 0; i < made; i++)
      report.iterations.push_back({rank->rank, i, is_timed(i), to_us(rank->spans[i].begin), to_us(rank->spans[i].end)});
}

}  // namespace cuco::vcluster

using cuco::vcluster::harness;

extern "C" {

void cuco_harness_open(int rank, int rank_count) { harness().open(rank, rank_count); }
void cuco_harness_buffer(const cuco_buffer* buffer) { harness().add_buffer(*buffer); }
void cuco_harness_refuse(const char* reason) { harness().refuse(reason ? reason : ""); }
int cuco_harness_begin() { return harness().begin() ? 1 : 0; }
void cuco_harness_end() { harness().end(); }
}
