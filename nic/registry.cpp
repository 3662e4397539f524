#include "nic/registry.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "nic/clock.h"
#include "nic/log.h"

namespace cuco::nic {
namespace {

constexpr int64_t kMappingPatienceNs = 2'000'000'000;

// Called by number: C libraries older than these two calls are still about.
Result<int> take_over_file(int pid, int number) {
  if (pid == getpid()) return dup(number);
  const File process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (process.number() < 0) return Error{"process " + std::to_string(pid) + " cannot be opened"};
  const int file = static_cast<int>(syscall(SYS_pidfd_getfd, process.number(), number, 0));
  if (file < 0)
    return Error{"no right to take over a file of process " + std::to_string(pid) +
                 " (pidfd_getfd; in a container it needs CAP_SYS_PTRACE)"};
  return file;
}

uint64_t bit(int member) { return uint64_t{1} << member; }

}  // namespace

Registry::~Registry() {
  while (!imports_.empty()) release_slot(imports_.begin()->first);
}

LocalMemory Registry::add(uint64_t name, void* address, uint64_t bytes, bool host, uint64_t readers) {
  LocalMemory memory{static_cast<std::byte*>(address), bytes, host, -1};
  readers &= ~bit(directory_.self());
  if (!host && readers != 0) {
    const Result<Exported> exported = device_.export_memory(address, bytes);
    if (exported) memory.slot = publish(name, *exported, readers);
    if (!exported) log_info("memory of " + std::to_string(bytes) + " bytes is staged: " + exported.error().message);
  }
  {
    const std::lock_guard lock(mutex_);
    local_[name] = memory;
  }
  if (memory.slot >= 0) wait_for_readers(directory_.segment().registrations[memory.slot], readers);
  return memory;
}

int Registry::publish(uint64_t name, const Exported& exported, uint64_t readers) {
  Segment& segment = directory_.segment();
  for (int slot = 0; slot < kRegistrationsMax; ++slot) {
    Registration& registration = segment.registrations[slot];
    RegistrationState free = RegistrationState::Free;
    if (!registration.state.compare_exchange_strong(free, RegistrationState::Claimed)) continue;
    registration.name = name;
    registration.owner = directory_.self();
    registration.file = exported.file;
    registration.mapping_bytes = exported.mapping_bytes;
    registration.mapping_offset = exported.offset;
    registration.mapped_by.store(0);
    registration.refused_by.store(0);
    registration.wanted_by.store(readers);
    registration.state.store(RegistrationState::Mappable);
    uint32_t used = segment.registrations_used.load();
    while (used <= static_cast<uint32_t>(slot) && !segment.registrations_used.compare_exchange_weak(used, slot + 1)) {
    }
    ++segment.registration_changes;
    return slot;
  }
  close(exported.file);
  log_warning("the table of registrations is full; this memory is staged, which is slow");
  return -1;
}

void Registry::wait_for_readers(Registration& registration, uint64_t readers) {
  const int64_t until = now_ns() + kMappingPatienceNs;
  const auto answered = [&] { return (registration.mapped_by.load() | registration.refused_by.load()) & readers; };
  while ((readers & ~answered() & directory_.living()) != 0 && now_ns() < until)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void Registry::remove(uint64_t name) {
  std::optional<LocalMemory> memory = find(name);
  if (!memory) return;
  {
    const std::lock_guard lock(mutex_);
    local_.erase(name);
  }
  if (memory->slot < 0) return;
  Registration& registration = directory_.segment().registrations[memory->slot];
  registration.state.store(RegistrationState::Retired);
  ++directory_.segment().registration_changes;
  // The caller frees the memory next, which takes effect only when nobody maps it.
  const int64_t until = now_ns() + kMappingPatienceNs;
  while ((registration.mapped_by.load() & directory_.living()) != 0 && now_ns() < until)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  close(registration.file);
  registration.state.store(RegistrationState::Free);
}

std::optional<LocalMemory> Registry::find(uint64_t name) {
  const std::lock_guard lock(mutex_);
  const auto found = local_.find(name);
  return found == local_.end() ? std::nullopt : std::optional(found->second);
}

int Registry::find_offer(uint64_t name, int owner) {
  const Segment& segment = directory_.segment();
  const int used = static_cast<int>(segment.registrations_used.load());
  for (int slot = 0; slot < used; ++slot) {
    const Registration& registration = segment.registrations[slot];
    if (registration.state.load() == RegistrationState::Mappable && registration.name == name &&
        registration.owner == owner)
      return slot;
  }
  return -1;
}

std::byte* Registry::mapped(int slot) {
  auto found = imports_.find(slot);
  if (found == imports_.end()) {
    import_slot(slot);
    found = imports_.find(slot);
  }
  if (found == imports_.end()) return nullptr;
  return static_cast<std::byte*>(found->second.address) + found->second.offset;
}

void Registry::follow_changes() {
  Segment& segment = directory_.segment();
  const uint64_t changes = segment.registration_changes.load();
  if (changes == seen_changes_) return;
  seen_changes_ = changes;
  const int used = static_cast<int>(segment.registrations_used.load());
  for (int slot = 0; slot < used; ++slot) {
    Registration& registration = segment.registrations[slot];
    const RegistrationState state = registration.state.load();
    const bool is_mapped = imports_.count(slot) != 0;
    if (state == RegistrationState::Mappable && !is_mapped && (registration.wanted_by.load() & bit(directory_.self())))
      import_slot(slot);
    if (state != RegistrationState::Mappable && is_mapped) release_slot(slot);
  }
}

void Registry::import_slot(int slot) {
  Registration& registration = directory_.segment().registrations[slot];
  const int owner_pid = directory_.segment().members[registration.owner].pid;
  const Result<int> file = take_over_file(owner_pid, registration.file);
  const Result<void*> address =
      file ? device_.import_memory(*file, registration.mapping_bytes) : Result<void*>(file.error());
  if (file) close(*file);
  if (!address) {
    registration.refused_by.fetch_or(bit(directory_.self()));
    return log_error(address.error().message);
  }
  imports_[slot] = {*address, registration.mapping_bytes, registration.mapping_offset};
  registration.mapped_by.fetch_or(bit(directory_.self()));
}

void Registry::release_slot(int slot) {
  const Import import = imports_.at(slot);
  device_.release_import(import.address, import.mapping_bytes);
  imports_.erase(slot);
  directory_.segment().registrations[slot].mapped_by.fetch_and(~bit(directory_.self()));
}

}  // namespace cuco::nic
