#include "vcluster/runtime/checkers/bounds.h"

#include <link.h>

#include <map>
#include <vector>

#include "base/text.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

struct Span {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

std::map<uintptr_t, Span>& pinned() {
  static std::map<uintptr_t, Span> all;
  return all;
}

std::vector<Span>& shared_variables() {
  static std::vector<Span> all;
  return all;
}

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

std::string verb(const Access& access) {
  if (access.kind == AccessKind::AtomicUpdate) return "updates";
  return is_write(access.kind) ? "writes" : "reads";
}

std::string describe_access(const Access& access) {
  return concat(describe_running(access.site), " ", verb(access), " ", access.bytes, " bytes");
}

[[noreturn]] void refuse(const Access& access, uintptr_t bad) {
  report_once("memory_access", running_rank(), place_of(access.site),
              concat(describe_access(access), " at ", describe_memory(bad, running_rank())));
  world->end_run("fault", 1);
}

// Code, constants and globals of the program and its libraries, as the loader mapped them.
const std::vector<Span>& loaded_segments() {
  static std::vector<Span> all;
  if (!all.empty()) return all;
  auto add = [](dl_phdr_info* object, size_t, void*) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
      if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
      uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
      all.push_back({begin, begin + object->dlpi_phdr[i].p_memsz});
    }
    return 0;
  };
  dl_iterate_phdr(add, nullptr);
  return all;
}

// Memory outside the device that kernels may touch all the same.
bool is_reachable(uintptr_t address) {
  if (is_pinned(address) || is_device_variable(address, *current_block->grid().launch().process)) return true;
  for (const Span& segment : loaded_segments())
    if (segment.holds(address)) return true;
  return false;
}

bool is_stack(uintptr_t address) { return address >= kDeviceStackBase && address < kHostStackBase; }

}  // namespace

void check_bounds(const Access& access, uintptr_t alignment) {
  if (is_stack(access.address)) return;
  if (access.address % alignment != 0)
    report_once("memory_access", running_rank(), place_of(access.site),
                concat(describe_access(access), " at an address that is not a multiple of ", alignment, ": ",
                       describe_memory(access.address, running_rank())));
  bool on_device = device_of(access.address) >= 0;
  if (!on_device && (access.address < kSharedBase || access.address >= kSharedEnd)) {
    if (!is_reachable(access.address)) refuse(access, access.address);
    return;
  }
  if (!shadow().covers(access.address, access.bytes)) refuse(access, access.address);
  if (uintptr_t bad = shadow().first_without(ShadowBit::Allowed, access.address, access.bytes)) refuse(access, bad);
}

void check_host_bounds(const Access& access) {
  int rank = device_of(access.address);
  if (rank < 0 || static_cast<size_t>(rank) >= world->devices.size()) return;
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(access.address);
  if (!allocation || allocation->freed || !allocation->what.starts_with("cudaMallocManaged"))
    refuse(access, access.address);
}

void check_library_range(const void* address, size_t bytes, const std::string& what) {
  uintptr_t begin = number_of(address);
  if (!world->options.check || bytes == 0 || device_of(begin) < 0) return;
  bool is_covered = shadow().covers(begin, bytes);
  if (is_covered && shadow().first_without(ShadowBit::Allowed, begin, bytes) == 0) return;
  report_once("memory_access", device_of(begin), what,
              concat(what, " touches ", bytes, " bytes, from ", describe_memory(begin, device_of(begin)),
                     " on, of which the last are ", describe_memory(begin + bytes - 1, device_of(begin))));
  world->end_run("fault", 1);
}

void allow_shared_memory(const Block& block) {
  if (!world->options.check) return;
  const KernelLaunch& launch = block.grid().launch();
  uintptr_t begin = number_of(block.shared_memory());
  size_t fixed = block.grid().shared_bytes() - launch.dynamic_shared_bytes;
  shadow().allow(begin, block.grid().shared_bytes());
  shadow().forbid(begin, fixed);
  uintptr_t image = number_of(launch.process->shared_begin);
  for (const Span& variable : shared_variables())
    if (variable.begin >= image && variable.end <= image + launch.process->shared_bytes)
      shadow().allow(begin + (variable.begin - image), variable.end - variable.begin);
}

void announce_shared_variable(const void* address, size_t bytes) {
  shared_variables().push_back({number_of(address), number_of(address) + bytes});
}

void pin_host_memory(const void* address, size_t bytes) {
  pinned()[number_of(address)] = {number_of(address), number_of(address) + bytes};
}

void unpin_host_memory(const void* address) {
  pinned().erase(number_of(address));
  forget_reachable_memory();
}

bool is_device_variable(uintptr_t address, const Process& process) {
  for (const auto& [device, copy] : process.device_copies)
    if (address - number_of(copy) < process.device_bytes) return true;
  return false;
}

PinnedRange pinned_range(uintptr_t address) {
  auto after = pinned().upper_bound(address);
  if (after == pinned().begin()) return {};
  const Span& before = std::prev(after)->second;
  return before.holds(address) ? PinnedRange{before.begin, before.end} : PinnedRange{};
}

void check_free(const void* address, const char* function) {
  int device = device_of(number_of(address));
  if (device < 0 || static_cast<size_t>(device) >= world->devices.size()) return;
  const Allocation* allocation = world->devices[static_cast<size_t>(device)]->memory.find(number_of(address));
  if (!allocation || allocation->freed) return;
  bool from_nccl = allocation->what.starts_with("ncclMemAlloc");
  bool by_nccl = std::string_view(function) == "ncclMemFree";
  if (from_nccl == by_nccl) return;
  report_once("memory_access", device, concat(function, at_call_site()),
              concat(function, at_call_site(), " frees memory from ", allocation->what, ", which belongs to ",
                     from_nccl ? "ncclMemFree" : "cudaFree"));
}

void check_window_memory(const void* address, int rank) {
  int device = device_of(number_of(address));
  const Allocation* allocation =
      device < 0 ? nullptr : world->devices[static_cast<size_t>(device)]->memory.find(number_of(address));
  if (allocation && allocation->what.starts_with("ncclMemAlloc")) return;
  report_once("memory_access", rank, concat("window", at_call_site()),
              concat("the window registered", at_call_site(), " lies in memory from ",
                     allocation ? allocation->what : "the host", "; peers can only map memory from ncclMemAlloc"));
}

}  // namespace cuco::vcluster
