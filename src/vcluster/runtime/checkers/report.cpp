#include "vcluster/runtime/checkers/report.h"

#include <set>

#include "base/text.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

extern "C" {
const cuco::vcluster::AccessSite* cuco_call_site = nullptr;
}

namespace cuco::vcluster {

namespace {

// How far before a stray address its likely victim is looked for.
constexpr uintptr_t kReach = 8192;

std::string describe_device_memory(uintptr_t address, int rank) {
  const DeviceMemory& memory = world->devices[static_cast<size_t>(rank)]->memory;
  for (uintptr_t back = 0; back <= kReach; back++) {
    const Allocation* near = memory.find(address - back);
    if (!near) continue;
    std::string object = concat(near->bytes, " bytes from ", near->what, " on rank ", rank);
    if (near->freed) return concat("freed memory, once ", object);
    uintptr_t offset = address - near->begin;
    if (offset < near->bytes) return concat("byte ", offset, " of ", object);
    return concat(offset - near->bytes, " bytes past the end of ", object);
  }
  return concat("memory of rank ", rank, " that was never allocated");
}

}  // namespace

std::string place_of(const AccessSite* site) {
  if (!site || !site->file || !*site->file) return "";
  return concat(site->file, ":", site->line);
}

std::string at_call_site() {
  if (!world || !world->current_host) return "";
  if (world->options.check && cuco_call_site) return " at " + place_of(cuco_call_site);
  return world->current_host->place ? concat(" at ", world->current_host->place) : "";
}

std::string describe_running() {
  if (current_thread) return concat("rank ", running_rank(), ", ", describe_running_thread());
  if (world->current_host)
    return concat("rank ", world->current_host->process->rank, ", host thread ", world->current_host->number);
  return "a copy or collective";
}

int running_rank() {
  if (current_block) return current_block->grid().device().rank;
  return world->current_host ? world->current_host->process->rank : -1;
}

std::string describe_memory(uintptr_t address) {
  int rank = device_of(address);
  if (rank >= 0 && static_cast<size_t>(rank) < world->devices.size()) return describe_device_memory(address, rank);
  if (address >= kSharedBase && address < kSharedEnd) {
    if (!current_block) return "shared memory";
    uintptr_t begin = reinterpret_cast<uintptr_t>(current_block->shared_memory());
    return concat("byte ", address - begin, " of the block's shared memory of ", current_block->grid().shared_bytes(),
                  " bytes");
  }
  return address < 4096 ? "a null pointer" : "host memory";
}

void report_once(const std::string& kind, int rank, const std::string& place, const std::string& text) {
  static std::set<std::pair<std::string, std::string>> made;
  if (made.emplace(kind, place).second) world->add_finding(kind, rank, text);
}

}  // namespace cuco::vcluster
