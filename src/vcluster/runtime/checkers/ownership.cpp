#include "vcluster/runtime/checkers/ownership.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"
#include "vcluster/allowed_imports.h"
#include "vcluster/runtime/api/host/thread_locals.h"
#include "vcluster/runtime/api/nccl/device_comm.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/spin_lines.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

extern "C" {
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
}

namespace cuco::vcluster {

namespace {

struct Span {
  uintptr_t begin = 0, end = 0;
  bool is_writable = false;

  bool holds(uintptr_t address, size_t bytes) const {
    return address >= begin && address < end && bytes <= end - address;
  }
};

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// What the loader mapped, by whose it is.
struct LoadedObject {
  enum class Kind { Runner, Image, Library } kind = Kind::Library;
  std::string name;
  std::vector<Span> segments;
};

LoadedObject object_of(const dl_phdr_info& info, bool is_first) {
  LoadedObject object;
  object.name = info.dlpi_name;
  bool is_image = object.name.starts_with(world->options.scratch + "/rank");
  object.kind = is_first ? LoadedObject::Kind::Runner : is_image ? LoadedObject::Kind::Image : object.kind;
  for (int i = 0; i < info.dlpi_phnum; i++) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD && header.p_type != PT_GNU_RELRO) continue;
    uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    object.segments.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_W) != 0});
  }
  // What the loader made read-only comes first: it is part of a segment that can be written.
  std::stable_partition(object.segments.begin(), object.segments.end(),
                        [](const Span& span) { return !span.is_writable; });
  return object;
}

std::vector<LoadedObject> load_map() {
  std::vector<LoadedObject> all;
  auto add = [](dl_phdr_info* info, size_t, void* out) {
    auto& objects = *static_cast<std::vector<LoadedObject>*>(out);
    objects.push_back(object_of(*info, objects.empty()));
    return 0;
  };
  dl_iterate_phdr(add, &all);
  return all;
}

// Objects are added while the program runs, when a rank starts.
const LoadedObject* object_at(uintptr_t address) {
  static std::vector<LoadedObject> known;
  auto holds = [&](const LoadedObject& object) {
    return std::any_of(object.segments.begin(), object.segments.end(),
                       [&](const Span& segment) { return segment.holds(address, 1); });
  };
  auto found = std::find_if(known.begin(), known.end(), holds);
  if (found == known.end()) {
    known = load_map();
    found = std::find_if(known.begin(), known.end(), holds);
  }
  return found == known.end() ? nullptr : &*found;
}

const Span* segment_at(const LoadedObject* object, uintptr_t address, size_t bytes) {
  if (!object) return nullptr;
  for (const Span& segment : object->segments)
    if (segment.holds(address, bytes)) return &segment;
  return nullptr;
}

bool is_image_of(const LoadedObject& object, const Process& process) {
  return object.kind == LoadedObject::Kind::Image &&
         object.name == concat(world->options.scratch, "/rank", process.rank, ".so");
}

// An image that was built without the plugin does not say what its libraries allocate for it.
bool is_guarded(const Process& process) {
  static std::map<const Process*, bool> known;
  if (!process.image) return false;
  auto [found, is_first] = known.try_emplace(&process, false);
  if (is_first) found->second = dlsym(process.image, "cuco_guarded") != nullptr;
  return found->second;
}

bool is_on_stack_of(const HostThread& thread, uintptr_t address) {
  return !thread.ended && address >= number_of(thread.fiber->stack_low) &&
         address < number_of(thread.fiber->program_top);
}

bool is_stack_of(const Process& process, uintptr_t address) {
  if (address < kHostStackBase || address >= kMulticastBase) return false;
  if (world->current_host && is_on_stack_of(*world->current_host, address)) return true;
  return std::any_of(process.threads.begin(), process.threads.end(),
                     [&](const std::unique_ptr<HostThread>& thread) { return is_on_stack_of(*thread, address); });
}

// Programs look at these and set their widths and flags by functions that are inlined. Which functions an object has is
// not theirs to change.
template <typename Stream>
Span part_of(Stream& stream, uintptr_t address, size_t bytes) {
  uintptr_t whole = number_of(&stream), flags = number_of(static_cast<std::ios*>(&stream)) + sizeof(void*);
  Span writable = {flags, whole + sizeof(Stream), true};
  return writable.holds(address, bytes) ? writable : Span{whole, whole + sizeof(Stream), false};
}

Span console_at(uintptr_t address, size_t bytes) {
  for (const Span& part : {part_of(std::cout, address, bytes), part_of(std::cerr, address, bytes),
                           part_of(std::clog, address, bytes), part_of(std::cin, address, bytes)})
    if (part.holds(address, bytes)) return part;
  return {};
}

bool is_managed(const void* address) {
  const Allocation* found = allocation_at(address);
  return found && found->what.starts_with("cudaMallocManaged");
}

Process& running_process() {
  return current_block ? *current_block->grid().launch().process : *world->current_host->process;
}

// Where a kernel is, which it reads by name or, where it may be one of two variables, by address.
Span index_variable_at(uintptr_t address, size_t bytes) {
  for (const void* variable : {static_cast<const void*>(&threadIdx), static_cast<const void*>(&blockIdx),
                               static_cast<const void*>(&blockDim), static_cast<const void*>(&gridDim)})
    if (Span span{number_of(variable), number_of(variable) + sizeof(uint3), false}; span.holds(address, bytes))
      return span;
  return {};
}

// The span around the address in which the running GPU thread may do the same again, or none.
Span reachable_from_device(uintptr_t address, size_t bytes) {
  Process& process = running_process();
  const void* pointer = reinterpret_cast<const void*>(address);
  if (const Allocation* found = allocation_at(pointer))
    return reaches(process, pointer) ? Span{found->begin, found->begin + found->bytes, true} : Span{};
  if (address < kSharedEnd || is_device_variable(address, process)) return {address, address + bytes, true};
  PinnedRange pinned = pinned_range(address);
  auto is_own = [&](uintptr_t begin, uintptr_t end) {
    return is_host_memory_of(process, reinterpret_cast<const void*>(begin), end - begin);
  };
  if (pinned.end > 0 && is_own(address, address + bytes))
    return is_own(pinned.begin, pinned.end) ? Span{pinned.begin, pinned.end, true} : Span{address, address + bytes, true};
  return index_variable_at(address, bytes);
}

Span reachable_from_host(uintptr_t address, size_t bytes) {
  const Process& process = running_process();
  bool is_single = is_stack_of(process, address) || is_managed(reinterpret_cast<const void*>(address)) ||
                   is_thread_local_of(process, address) ||
                   is_option_variable(reinterpret_cast<const void*>(address), bytes);
  return is_single ? Span{address, address + bytes, true} : console_at(address, bytes);
}

// Variables of the program's own image; constants, and what libraries keep, to look at.
Span loaded_span(uintptr_t address, size_t bytes) {
  const LoadedObject* object = object_at(address);
  const Span* segment = segment_at(object, address, bytes);
  if (!segment) return {};
  if (is_image_of(*object, running_process())) return *segment;
  bool may_look = object->kind == LoadedObject::Kind::Library || !segment->is_writable;
  return may_look && object->kind != LoadedObject::Kind::Image ? Span{segment->begin, segment->end, false} : Span{};
}

// Spans that were found fine for who runs: a process, on the host or on a device. Few, because programs go back to the
// same ones.
class RecentSpans {
 public:
  bool hold(uintptr_t address, size_t bytes, bool writes) {
    Owner owner = {&running_process(), current_block != nullptr};
    if (!own_ || owner != owner_) own_ = &all_[owner], owner_ = owner;
    return std::any_of(own_->spans.begin(), own_->spans.end(),
                       [&](const Span& span) { return span.holds(address, bytes) && (span.is_writable || !writes); });
  }
  // After hold().
  void add(const Span& span) { own_->spans[own_->next++ % own_->spans.size()] = span; }
  void clear() { all_.clear(), own_ = nullptr; }

 private:
  using Owner = std::pair<const Process*, bool>;
  struct Spans {
    std::array<Span, 6> spans;
    size_t next = 0;
  };

  std::map<Owner, Spans> all_;
  Owner owner_;
  Spans* own_ = nullptr;  // Of the owner.
};

RecentSpans recent;

std::string describe_foreign(uintptr_t address) {
  if (address < 4096) return "a null pointer";
  if (heap_at(reinterpret_cast<const void*>(address))) return "the heap of another process";
  int owner = device_of(address);
  if (owner >= 0 && !current_block) return "device memory, which host code reaches by copies only";
  if (owner >= 0)
    return concat("device memory of rank ", owner,
                  ", which is neither this process's own nor in a window of this node");
  if (address >= kDeviceStackBase && address < kMulticastBase) return "a stack that is not its own";
  if (is_handle(address)) return "a handle, which is no address";
  const LoadedObject* object = object_at(address);
  if (object && object->kind == LoadedObject::Kind::Library) return "what a library keeps for itself";
  return object && object->kind == LoadedObject::Kind::Image ? "another process's variables" : "the runner's memory";
}

[[noreturn]] void refuse(const std::string& what, uintptr_t address, const void* code) {
  std::string place = line_of_code(reinterpret_cast<uintptr_t>(code) - 1);
  world->add_finding("foreign_memory", running_rank(),
                     concat(describe_running(), ": ", place, place.empty() ? "" : " ", what, " ",
                            describe_foreign(address), "; a program may touch its own memory only"));
  world->end_run("fault", 1);
}

// Lanes of a warp look at each other's operands, and all threads at the kernel's arguments.
bool is_for_all_threads(uintptr_t address) { return address >= kDeviceStackBase && address < kHostStackBase; }

bool is_program_running() { return world && (current_block || world->current_host); }

[[gnu::noinline]] void look_up(uintptr_t address, size_t bytes, bool writes, const void* code) {
  Span found = current_block ? reachable_from_device(address, bytes) : reachable_from_host(address, bytes);
  bool is_lasting = device_of(address) >= 0 || (current_block && is_pinned(address));
  if (!found.holds(address, bytes)) found = loaded_span(address, bytes), is_lasting = true;
  if (!found.holds(address, bytes) || (writes && !found.is_writable))
    refuse(concat(writes ? "writes " : "reads ", bytes, " bytes of"), address, code);
  if (is_lasting) recent.add(found);
}

// Memory that calls may be handed: whatever is the program's, and what stands for objects.
bool may_pass(uintptr_t address) {
  if (address < kHostStackBase || (address >= kMulticastBase && address < kMulticastEnd)) return true;
  if (is_handle(address) || is_host_memory_of(running_process(), reinterpret_cast<const void*>(address), 1))
    return true;
  if (is_thread_local_of(running_process(), address) || console_at(address, 1).holds(address, 1)) return true;
  const LoadedObject* object = object_at(address);
  if (!object || object->kind == LoadedObject::Kind::Image) return false;
  const Span* segment = segment_at(object, address, 1);
  return object->kind == LoadedObject::Kind::Library || !segment->is_writable;
}

// Virtual functions of the standard library's own classes have no name that is exported; their tables have them.
bool is_virtual_function(const LoadedObject& object, const void* target) {
  if (object.name.find("libstdc++") == object.name.npos) return false;
  auto holds = [&](const Span& span) {
    const auto* begin = reinterpret_cast<const void* const*>((span.begin + 7) & ~uintptr_t{7});
    const auto* end = reinterpret_cast<const void* const*>(span.end & ~uintptr_t{7});
    return !span.is_writable && std::find(begin, end, target) != end;
  };
  return std::any_of(object.segments.begin(), object.segments.end(), holds);
}

// Whether code may be called by this address; of others than the program's own, beginnings of functions only.
bool may_call(const LoadedObject& object, const void* target) {
  if (is_image_of(object, running_process()) || is_virtual_function(object, target)) return true;
  Dl_info info;
  if (!dladdr(target, &info) || info.dli_saddr != target || !info.dli_sname) return false;
  std::string_view name = info.dli_sname;
  return is_allowed_import(name) && !name.starts_with("cuco_");
}

}  // namespace

void forget_reachable_memory() { recent.clear(); }

bool is_handle(uintptr_t address) { return address >> kDeviceShift == kHandleBase >> kDeviceShift; }

bool is_host_memory_of(const Process& process, const void* address, size_t bytes) {
  if (!is_guarded(process)) return true;
  uintptr_t begin = number_of(address);
  if (heap_at(address)) return begin >> kDeviceShift == process.heap.tag();
  if (is_stack_of(process, begin)) return is_stack_of(process, begin + (bytes > 0 ? bytes - 1 : 0));
  const LoadedObject* object = object_at(begin);
  return object && is_image_of(*object, process) && segment_at(object, begin, bytes);
}

const Allocation* allocation_at(const void* address) {
  auto rank = static_cast<size_t>(device_of(number_of(address)));
  return rank < world->devices.size() ? world->devices[rank]->memory.find(number_of(address)) : nullptr;
}

bool reaches(const Process& process, const void* address) {
  const Allocation* found = allocation_at(address);
  if (!found || found->process == &process) return found;
  return world->devices[static_cast<size_t>(device_of(found->begin))]->node == process.node && lies_in_window(address);
}

void check_buffer(const Process& process, const void* address, size_t bytes, const std::string& what) {
  if (!address || bytes == 0 || is_host_memory_of(process, address, bytes) || reaches(process, address)) return;
  if (is_thread_local_of(process, number_of(address))) return;
  const LoadedObject* object = object_at(number_of(address));
  if (object && object->kind != LoadedObject::Kind::Image && !segment_at(object, number_of(address), 1)->is_writable)
    return;
  world->add_finding("foreign_memory", process.rank,
                     concat("rank ", process.rank, ": ", what, host_place(), " touches ", bytes, " bytes of ",
                            describe_foreign(number_of(address)), "; a program may touch its own memory only"));
  world->end_run("fault", 1);
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

uint64_t cuco_own_tag;  // What the addresses of the running device, or of the running process's heap, begin with.

void cuco_guard(const void* pointer, uint64_t bytes, bool writes) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (bytes == 0 || !is_program_running()) return;
  if (current_block ? on_running_stack(address) : is_on_stack_of(*world->current_host, address)) return;
  if (current_block && !writes && is_for_all_threads(address)) return;
  if (address >> kDeviceShift == cuco_own_tag || recent.hold(address, bytes, writes)) return;
  look_up(address, bytes, writes, __builtin_return_address(0));
}

void cuco_guard_argument(const void* pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address >> kDeviceShift == cuco_own_tag || !is_program_running() || may_pass(address)) return;
  refuse("hands to a library", address, __builtin_return_address(0));
}

bool cuco_guard_call(const void* target) {
  static std::map<std::pair<const Process*, const void*>, bool> known;  // Whether it is a library's.
  if (!is_program_running()) return false;
  std::pair<const Process*, const void*> key = {&running_process(), target};
  if (auto found = known.find(key); found != known.end()) return found->second;
  const LoadedObject* object = object_at(reinterpret_cast<uintptr_t>(target));
  if (!object || !may_call(*object, target))
    refuse("calls code that is not its own, in", reinterpret_cast<uintptr_t>(target), __builtin_return_address(0));
  return known[key] = object->kind == LoadedObject::Kind::Library;
}
}
