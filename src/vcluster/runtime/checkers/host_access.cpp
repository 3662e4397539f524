#include "vcluster/runtime/checkers/host_access.h"

#include <malloc.h>

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

HostRaces run_host_races;

namespace {

bool enabled() { return world && world->options.check; }

bool conflict(bool writes, bool other_writes) { return writes || other_writes; }

void report(const std::string& place, const std::string& what, const std::string& other) {
  report_once("host_race", running_rank(), place,
              concat(describe_running(), ": ", what, " ", other,
                     ", which the host has not waited for; cudaStreamSynchronize or an event would order them"));
}

std::string describe_access(const Access& access, const std::string& what) {
  if (!what.empty()) return what;
  return concat(place_of(access.site), is_write(access.kind) ? " writes" : " reads", " memory of");
}

std::string other_side(const char* verb, const AccessSite* site) {
  return concat("memory that is ", verb, " by device work at ", place_of(site));
}

bool is_managed(uintptr_t address) {
  int rank = device_of(address);
  if (rank < 0 || static_cast<size_t>(rank) >= world->devices.size()) return false;
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(address);
  return allocation && allocation->what.starts_with("cudaMallocManaged");
}

}  // namespace

void HostRaces::on_submit(Operation& operation) {
  if (!enabled() || !world->current_host) return;
  operation.host_epoch = ++state_of(current_process()).submitted;
}

void HostRaces::on_wait(const Operation& operation) {
  if (!enabled() || !world->current_host) return;
  ProcessState& state = state_of(current_process());
  state.known.merge(operation.known);
  const Process* self = &current_process();
  std::erase_if(pending_, [&](const Pending& other) { return other.process == self && state.known.knows(other.id); });
  std::erase_if(state.functions, [&](OperationId id) { return state.known.knows(id); });
}

void HostRaces::on_queued(const Operation& operation, const void* address, size_t bytes, bool writes,
                          const std::string& what) {
  uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  if (!enabled() || !world->current_host || (device_of(begin) >= 0 && !is_managed(begin))) return;
  pending_.push_back({&current_process(), begin, begin + bytes, writes, operation.id, what});
}

void HostRaces::on_function_queued(const Operation& operation) {
  if (!enabled()) return;
  has_functions_ = true;
  state_of(current_process()).functions.push_back(operation.id);
}

void HostRaces::on_function_begin(const HostThread& thread, Operation& operation) {
  if (!enabled()) return;
  has_functions_ = true;
  functions_[&thread] = &operation;
}

Operation* HostRaces::running_function() const {
  auto found = functions_.find(world->current_host);
  return found == functions_.end() ? nullptr : found->second;
}

const OpClock& HostRaces::known_now() {
  const Operation* function = running_function();
  return function ? function->known : state_of(current_process()).known;
}

const HostRaces::Pending* HostRaces::find_pending(uintptr_t begin, uintptr_t end, bool writes) {
  if (pending_.empty()) return nullptr;
  const Process* self = &current_process();
  const OpClock& known = known_now();
  for (const Pending& other : pending_)
    if (other.process == self && begin < other.end && other.begin < end && conflict(writes, other.writes) &&
        !known.knows(other.id))
      return &other;
  return nullptr;
}

bool HostRaces::is_watched(uintptr_t address) {
  if (has_functions_ && (running_function() || !state_of(current_process()).functions.empty())) return true;
  return is_pinned(address) || is_managed(address);
}

void HostRaces::on_access(const Access& access, const std::string& what) {
  if (!enabled() || !world->current_host) return;
  if (const Pending* other = find_pending(access.address, access.address + access.bytes, is_write(access.kind)))
    report(concat(place_of(access.site), what), describe_access(access, what),
           concat(other->what, " (it ", other->writes ? "writes" : "reads", " it)"));
  if (is_watched(access.address)) check_words(access, what);
}

void HostRaces::check_words(const Access& access, const std::string& what) {
  if (Operation* function = running_function()) return touch_by_device(access, current_process(), *function);
  for (uintptr_t at = access.address & ~uintptr_t{3}; at < access.address + access.bytes; at += 4)
    touch_by_host(words_[at / 4], access, what);
}

void HostRaces::touch_by_host(Word& word, const Access& access, const std::string& what) {
  ProcessState& state = state_of(current_process());
  const OpClock& known = known_now();
  bool writes = is_write(access.kind);
  // Flags in shared memory order what they guard: that is not looked into further.
  if (is_atomic(access.kind) || word.device_is_atomic) {
    for (OperationId id : {word.device_write, word.device_read})
      if (id.stream) state.known.add(id);
    word.host_is_atomic |= is_atomic(access.kind);
  } else if (word.device_write.stream && !known.knows(word.device_write)) {
    report(place_of(access.site) + what, describe_access(access, what), other_side("written", word.device_write_site));
  } else if (writes && word.device_read.stream && !known.knows(word.device_read)) {
    report(place_of(access.site) + what, describe_access(access, what), other_side("read", word.device_read_site));
  }
  (writes ? word.host_write : word.host_read) = state.submitted + 1;
  (writes ? word.host_write_site : word.host_read_site) = access.site;
}

void HostRaces::touch_by_device(const Access& access, const Process& process, Operation& operation) {
  bool writes = is_write(access.kind);
  for (uintptr_t at = access.address & ~uintptr_t{3}; at < access.address + access.bytes; at += 4) {
    Word& word = words_[at / 4];
    word.device_is_atomic |= is_atomic(access.kind);
    uint64_t& since = operation.host_epoch;
    if (is_atomic(access.kind) || word.host_is_atomic) since = state_of(process).submitted + 1;
    if (word.host_write > since)
      report(place_of(access.site), describe_access(access, ""),
             concat("memory that the host writes at ", place_of(word.host_write_site), " after queueing this work"));
    else if (writes && word.host_read > since)
      report(place_of(word.host_read_site), concat(place_of(word.host_read_site), " reads on the host"),
             other_side("written", access.site));
    (writes ? word.device_write : word.device_read) = operation.id;
    (writes ? word.device_write_site : word.device_read_site) = access.site;
  }
}

void HostRaces::check_kernel_access(const Access& access) {
  const KernelLaunch& launch = current_block->grid().launch();
  if (!launch.operation || (!is_pinned(access.address) && !is_managed(access.address))) return;
  touch_by_device(access, *launch.process, *launch.operation);
}

namespace {

// Images that were built without the cost plugin allocate from the runner's heap.
size_t bytes_of_block(const void* address) {
  const ProgramHeap* heap = heap_at(address);
  return heap ? heap->bytes_of(address) : malloc_usable_size(const_cast<void*>(address));
}

}  // namespace

void HostRaces::on_release(const void* address, size_t bytes, const std::string& how) {
  if (!enabled() || !world->current_host || !address) return;
  if (bytes == 0) bytes = bytes_of_block(address);
  uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  if (const Pending* other = find_pending(begin, begin + bytes, true))
    report(how, how, concat("the memory of ", other->what, " (it ", other->writes ? "writes" : "reads", " it)"));
  for (uintptr_t word = begin / 4; !words_.empty() && word < (begin + bytes + 3) / 4; word++) words_.erase(word);
}

}  // namespace cuco::vcluster
