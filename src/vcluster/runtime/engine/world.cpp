#include "vcluster/runtime/engine/world.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/assert.h"
#include "base/files.h"
#include "base/text.h"
#include "vcluster/rank_words.h"
#include "vcluster/runtime/api/cuda/visible_devices.h"
#include "vcluster/runtime/api/host/exit_functions.h"
#include "vcluster/runtime/api/host/thread_locals.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/engine/pollers.h"
#include "vcluster/runtime/engine/stuck.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/plain_inputs.h"
#include "vcluster/runtime/harness/plain_loop.h"
#include "vcluster/runtime/harness/plain_outputs.h"
#include "vcluster/runtime/recording/access_recorder.h"
#include "vcluster/runtime/recording/sample_account.h"
#include "vcluster/runtime/recording/traffic_record.h"
#include "vcluster/runtime/recording/validity.h"
#include "vcluster/runtime/timing/trace.h"

extern "C" {
extern uint64_t cuco_own_tag;
extern bool cuco_in_library;
}

namespace cuco::vcluster {

World* world = nullptr;

namespace {

constexpr size_t kHostStackBytes = 8u << 20;
constexpr size_t kHostStacksMax = 4096;
// Longest virtual time in which nothing but sleeping and polling may happen.
constexpr Time kPatience = kSecond;

// What the linker stub of every image exports.
struct ImageInfo {
  char* shared_begin;
  char* shared_end;
  char* device_begin;
  char* device_end;
  int (*main)(int, char**, char**);
};

Costs costs_from(const model::Latencies& latencies) {
  Costs costs;
  costs.launch = from_us(latencies.launch_us);
  costs.kernel_gap = from_us(latencies.kernel_gap_us);
  costs.stream_sync = from_us(latencies.stream_sync_us);
  costs.event = from_us(latencies.event_us);
  costs.collective = from_us(latencies.collective_us);
  costs.flag_hop = from_us(latencies.flag_hop_us);
  if (latencies.poll_us) costs.poll = from_us(*latencies.poll_us);
  if (latencies.launch_call_us) {
    costs.launch_call = from_us(*latencies.launch_call_us);
    // What the profile gives counts from the beginning of the call, what streams are given from its end.
    costs.launch = std::max<Time>(costs.launch + costs.host_call - costs.launch_call, 1);
  }
  if (latencies.collective_call_us) costs.collective_call = from_us(*latencies.collective_call_us);
  return costs;
}

// A node has all GPUs of the profile's, also when fewer ranks run on it. A single process has as many as was asked for.
uint32_t spare_devices_of_node(const RunOptions& options) {
  uint32_t ranks = options.rank_count / std::max(options.node_count, 1u),
           there = options.profile.topology.ranks_per_node;
  return options.ranks_are_processes && there > ranks ? there - ranks : 0;
}
uint32_t spare_device_count(const RunOptions& options) {
  return spare_devices_of_node(options) * std::max(options.node_count, 1u);
}

// As the source spells it.
std::string demangled(const std::string& symbol) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                   std::free);
  return text ? text.get() : symbol;
}

// From what the loader says.
std::string why_not_loaded(const std::string& reason) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  size_t symbol = reason.find(kUndefined);
  if (symbol == reason.npos) return concat("the program cannot be loaded: ", reason);
  return concat("nothing defines ", demangled(reason.substr(symbol + kUndefined.size())),
                ": add the file that has it, or name its library with -l");
}

// Each process loads a copy of its own, so that it has globals of its own.
void* load_image(const RunOptions& options, int rank) {
  std::filesystem::path copy = std::filesystem::path(options.scratch) / concat("rank", rank, ".so");
  std::filesystem::copy_file(options.image, copy, std::filesystem::copy_options::overwrite_existing);
  void* image = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image) {
    world->add_finding("unsupported", rank, why_not_loaded(dlerror()));
    world->end_run("fault", 2);
  }
  return image;
}

// The text with "rank N" as "rank" wherever it speaks of this rank and not of one whose number begins like it.
std::string without_number(const std::string& text, const std::string& rank) {
  std::string result;
  size_t from = 0;
  for (size_t at = text.find(rank); at != text.npos; at = text.find(rank, from)) {
    size_t end = at + rank.size();
    bool is_longer = end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]));
    result += text.substr(from, (is_longer ? end : at + 4) - from);
    from = end;
  }
  return result + text.substr(from);
}

// Before the program runs, so that every copy has the initial values.
void copy_device_variables(Process& process) {
  char* place = process.device_begin;
  for (const Device* device : process.devices) {
    process.device_copies[device] = place;
    place = static_cast<char*>(process.heap.allocate(process.device_bytes));
    std::memcpy(place, process.device_begin, process.device_bytes);
  }
}

// What is on the stack from here on is the program's.
[[gnu::noinline]] void* call_program(HostThread& thread) {
  char here = 0;
  thread.fiber->program_top = &here;
  return thread.entry(thread.argument);
}

void* run_main(void* argument) {
  auto& process = *static_cast<Process*>(argument);
  process.image = load_image(world->options, process.rank);
  adopt_thread_locals(process);
  auto* info = static_cast<ImageInfo*>(dlsym(process.image, "cuco_image"));
  process.shared_begin = info->shared_begin;
  process.shared_bytes = static_cast<size_t>(info->shared_end - info->shared_begin);
  process.device_begin = info->device_begin;
  process.device_bytes = static_cast<size_t>(info->device_end - info->device_begin);
  copy_device_variables(process);
  std::vector<std::string> texts = world->options.arguments;
  texts.insert(texts.begin(), "program");
  auto** argv = static_cast<char**>(process.heap.allocate((texts.size() + 1) * sizeof(char*)));
  for (size_t i = 0; i < texts.size(); i++)
    argv[i] =
        copy_text(process.heap, with_ranks(texts[i], process.rank, process.local_rank, world->options.rank_count));
  argv[texts.size()] = nullptr;
  int exit_code = info->main(static_cast<int>(texts.size()), argv, process.state.environment);
  run_exit_functions();
  world->end_process(exit_code);
}

}  // namespace

World::World(RunOptions run_options)
    : options(std::move(run_options)),
      costs(costs_from(options.profile.latencies)),
      random(options.seed),
      timeline(options.rank_count + spare_device_count(options), !options.trace_path.empty()),
      host_stacks(kHostStackBase, kHostStackBytes, kHostStacksMax),
      device_stacks(kDeviceStackBase) {
  world = this;
  keeps_accesses = !options.accesses_path.empty();
  only_keeps_accesses = keeps_accesses && !options.check;
  keeps_validity = options.harness.compared;
  make_devices();
  make_processes();
}

void World::make_devices() {
  for (uint32_t rank = 0; rank < options.rank_count; rank++) {
    int node = static_cast<int>(uint64_t{rank} * options.node_count / options.rank_count);
    devices.push_back(std::make_unique<Device>(static_cast<int>(rank), node, options.profile));
    if (options.seed != 0) devices.back()->slowness = 1 + 0.5 * random.unit();
    devices.back()->memory.set_limit(static_cast<size_t>(options.profile.gpu.hbm_gib * (1u << 30)));
  }
  // Behind those of the ranks, so that a rank and the device it has by default keep the same number.
  for (uint32_t i = 0; i < spare_device_count(options); i++) {
    auto node = static_cast<int>(i / spare_devices_of_node(options));
    devices.push_back(std::make_unique<Device>(static_cast<int>(devices.size()), node, options.profile));
    devices.back()->memory.set_limit(static_cast<size_t>(options.profile.gpu.hbm_gib * (1u << 30)));
  }
}

void World::make_processes() {
  uint32_t count = options.ranks_are_processes ? options.rank_count : 1;
  for (uint32_t rank = 0; rank < count; rank++) {
    auto process = std::make_unique<Process>(static_cast<int>(rank));
    process->node = devices[rank]->node;
    for (const std::unique_ptr<Device>& device : devices) {
      if (options.ranks_are_processes && !sees(*process, *device)) continue;
      if (device->rank == process->rank) process->local_rank = static_cast<int>(process->devices.size());
      process->devices.push_back(device.get());
    }
    start_thread(*process, run_main, process.get());
    processes.push_back(std::move(process));
  }
}

HostThread* World::start_thread(Process& process, void* (*entry)(void*), void* argument) {
  HostThread* thread = process.threads.emplace_back(std::make_unique<HostThread>()).get();
  thread->process = &process;
  thread->handle = reinterpret_cast<uintptr_t>(Handles<HostThread>::open(thread));
  thread->number = static_cast<int>(process.threads.size()) - 1;
  thread->entry = entry;
  thread->argument = argument;
  auto begin = [](void* self) {
    auto* host = static_cast<HostThread*>(self);
    world->end_thread(call_program(*host));
  };
  thread->fiber = host_stacks.take(begin, thread);
  // Ranks do not start at the same instant.
  Time start = options.seed == 0 ? 0 : static_cast<Time>(random.below(20 * kMicrosecond));
  wake(*thread, now() + start);
  return thread;
}

void World::resume(HostThread& thread) {
  if (thread.ended || thread.process->ended) return;
  thread.waits_for.clear();
  install_thread_locals(thread);
  current_host = &thread;
  enter_process(*thread.process);
  thread.work.begin();
  cuco_own_tag = thread.process->heap.tag();
  cuco_in_library = thread.in_library;
  errno = thread.error_number;
  switch_host_fiber(scheduler, *thread.fiber);
  thread.error_number = errno;
  thread.in_library = std::exchange(cuco_in_library, false);
  current_host = nullptr;
}

void World::leave_host() {
  current_host->work.pause();
  switch_host_fiber(*current_host->fiber, scheduler);
}

void World::wait(std::string reason) {
  CUCO_ASSERT(current_host != nullptr);
  current_host->waits_for = std::move(reason);
  leave_host();
}

void World::wake(HostThread& thread, Time at) {
  events.at(at, [this, &thread] { resume(thread); });
}

void World::pass_time(Time amount) {
  if (!current_host) return;
  Time due = current_host->work.take_due(options.profile.host);
  Time free = due > 0 ? compute_for(due) : now();
  wake(*current_host, free + amount);
  wait("time to pass");
}

void World::settle_host_work() {
  if (!current_host) return;
  Time due = current_host->work.take_due(options.profile.host);
  if (due == 0) return;
  wake(*current_host, compute_for(due));
  wait("time to pass");
}

// A long stretch without a call gets on by itself, whoever waits for its end; loops that poll have short ones.
Time World::compute_for(Time due) {
  constexpr Time kLongStretch = kSecond / 100;
  Time end = occupy_core(*current_host->process, due);
  if (due > kLongStretch) last_progress_ = std::max(last_progress_, end);
  return end;
}

// A process that drives several devices has a core for each.
Time World::occupy_core(Process& process, Time amount) {
  Time cores = options.ranks_are_processes ? 1 : static_cast<Time>(process.devices.size());
  process.core_free = std::max(process.core_free, now()) + amount / cores;
  return std::max(process.core_free, now() + amount);
}

void World::end_thread(void* result) {
  settle_host_work();
  HostThread& self = *current_host;
  end_thread_locals(self);
  harness().on_thread_end(self);
  self.result = result;
  self.ended = true;
  note_progress();
  for (HostThread* joiner : self.joiners) wake(*joiner, now());
  host_stacks.give_back(self.fiber);
  leave_host();
  CUCO_ASSERT(false);
  __builtin_unreachable();
}

void World::end_process(int exit_code) {
  settle_host_work();
  Process& process = *current_host->process;
  harness().on_process_end(process, exit_code);
  std::fflush(nullptr);
  process.ended = true;
  process.exit_code = exit_code;
  process.end = now();
  note_progress();
  leave_host();
  CUCO_ASSERT(false);
  __builtin_unreachable();
}

bool World::all_ended() const {
  for (const std::unique_ptr<Process>& process : processes)
    if (!process->ended) return false;
  return true;
}

void World::end_stuck(const std::string& kind) {
  auto before = static_cast<ptrdiff_t>(findings_.size());
  for (const std::function<void()>& check : stuck_checks_) check();
  report_stuck(*this, kind);
  // Calls that somebody never made come first: they are why the others wait.
  std::stable_partition(findings_.begin() + before, findings_.end(),
                        [](const RunFinding& finding) { return finding.kind == "collective_mismatch"; });
  end_run(kind, 1);
}

// A loop that happens to look at one value often is no spin: it ends when it is let run on.
bool World::may_go_on() {
  constexpr size_t kTurnsMax = 5'000'000;
  constexpr size_t kRoundsMax = 8;
  if (idle_turns_ == 0) swaps_before_idle_ = pollers().swap_count();
  bool is_round = pollers().all_go_round() && pollers().change_count() == changes_before_turn_;
  changes_before_turn_ = pollers().change_count();
  idle_rounds_ = is_round ? idle_rounds_ + 1 : 0;
  idle_turns_ += 1 + pollers().count();
  return idle_rounds_ < kRoundsMax && idle_turns_ < kTurnsMax;
}

void World::settle() {
  if (may_go_on() && pollers().wake_all()) return;
  // Threads that go on changing memory, or retry what nobody keeps from them, are not blocked: they get nowhere.
  constexpr uint64_t kSwapsMin = 64;
  bool are_busy = pollers().swap_count() - swaps_before_idle_ >= kSwapsMin || pollers().all_retry_in_vain();
  end_stuck(are_busy ? "no_progress" : "deadlock");
}

void World::run() {
  while (!all_ended()) {
    if (events.empty() && !harness().settle()) settle();
    events.run_next();
    pollers().wake_changed();
    if (now() - last_progress_ > kPatience && !harness().settle()) end_stuck("no_progress");
  }
  // Puts still under way land before the books are closed.
  while (!events.empty() && now() - last_progress_ <= kPatience) events.run_next();
  plain_outputs().write();
  for (const std::function<void()>& check : end_checks_) check();
  bool is_broken = std::any_of(devices.begin(), devices.end(),
                               [](const std::unique_ptr<Device>& device) { return device->sticky_error() != 0; });
  if (!is_broken)
    for (const std::unique_ptr<Process>& process : processes) check_leaks(*process);
  int exit_code = is_broken ? 1 : 0;
  for (const std::unique_ptr<Process>& process : processes) exit_code = exit_code ? exit_code : process->exit_code;
  end_run(is_broken ? "fault" : exit_code == 0 ? "ok" : "exit", exit_code);
}

size_t World::add_finding(std::string kind, int rank, std::string text, model::Severity severity) {
  return add({std::move(kind), rank, std::move(text), severity});
}

void World::add_warning(std::string kind, int rank, std::string text) {
  add_finding(std::move(kind), rank, std::move(text), model::Severity::Warning);
}

size_t World::add(RunFinding finding) {
  std::string own = concat("rank ", finding.rank);
  for (std::string_view separator : {": ", ", "})
    if (finding.text.starts_with(concat(own, separator)))
      finding.text.erase(0, own.size() + separator.size());  // The finding names its ranks itself.
  std::string form =
      concat(model::name_of(finding.severity), " ", finding.kind, " ", without_number(finding.text, own));
  auto known = std::find(finding_forms_.begin(), finding_forms_.end(), form);
  auto number = static_cast<size_t>(known - finding_forms_.begin());
  if (known != finding_forms_.end()) {
    add_rank(number, finding.rank);
    return number;
  }
  findings_.push_back(std::move(finding));
  finding_forms_.push_back(std::move(form));
  return number;
}

void World::add_rank(size_t finding, int rank) {
  RunFinding& known = findings_[finding];
  std::vector<int>& others = known.other_ranks;
  if (rank != known.rank && std::find(others.begin(), others.end(), rank) == others.end()) others.push_back(rank);
}

void World::end_run(std::string verdict, int exit_code) {
  RunReport report;
  // Data of a sampled run are not valid: what the program thinks of them says nothing.
  bool is_own_verdict = options.sample && verdict == "exit";
  report.verdict = is_own_verdict ? "ok" : std::move(verdict);
  report.exit_code = is_own_verdict ? 0 : exit_code;
  report.sampled = options.sample;
  report.blocks_total = blocks_total;
  report.blocks_run = blocks_total - blocks_skipped - sample_account().blocks_in_part;
  report.work_run = sample_account().executed_share();
  for (auto& [what, body] : bodies) {
    body.what = what;
    if (body.run < body.total || !body.reason.empty()) report.bodies.push_back(body);
  }
  for (const auto& [key, launch] : launches) report.launches.push_back(launch);
  for (const std::unique_ptr<Process>& process : processes)
    report.rank_us.push_back(to_us(process->ended ? process->end : now()));
  report.findings = std::move(findings_);
  harness().fill(report);
  plain_loop().fill(report);
  plain_inputs().fill(report);
  plain_outputs().fill(report);
  timeline.fill(report, options.profile);
  while (report.timings.size() > options.rank_count && report.timings.back().region == "none")
    report.timings.pop_back();
  report.traffic = traffic_record().in_region();
  std::fflush(nullptr);
  Status written = write_file(options.report_path, to_text(report));
  if (written && keeps_accesses) written = write_file(options.accesses_path, access_recorder().to_json());
  if (written && timeline.for_trace()) written = write_file(options.trace_path, trace_json(timeline));
  _exit(written ? 0 : 70);
}

std::string host_place() {
  const HostThread* host = world->current_host;
  return host && host->place ? concat(" at ", host->place) : "";
}

std::string host_operand(size_t index) {
  const HostThread* host = world->current_host;
  if (!host || !host->operands) return "";
  std::vector<std::string> names = split(host->operands, '\n');
  return index < names.size() ? names[index] : "";
}

Process& current_process() {
  CUCO_ASSERT(world->current_host != nullptr);
  return *world->current_host->process;
}

}  // namespace cuco::vcluster
