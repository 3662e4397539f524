#include "vcluster/runtime/checkers/report.h"

#include <map>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

extern "C" {
const cuco::vcluster::AccessSite* cuco_call_site = nullptr;
}

namespace cuco::vcluster {

namespace {

// How far before a stray address its likely victim is looked for.
constexpr uintptr_t kReach = 8192;

// "`u[4]`", or "`u`" where the size of its elements is not known; empty without a name.
std::string element_at(const Allocation& allocation, uintptr_t offset) {
  if (allocation.name.empty()) return "";
  size_t each = allocation.element_bytes;
  return each == 0 ? concat("`", allocation.name, "`") : concat("`", allocation.name, "[", offset / each, "]`");
}

std::string describe_inside(const Allocation& allocation, uintptr_t offset, const std::string& whose) {
  std::string element = element_at(allocation, offset);
  std::string bytes = concat("byte ", offset, " of ", allocation.bytes, " from ", allocation.what);
  return element.empty() ? bytes + whose : concat(element, whose, " (", bytes, ")");
}

std::string describe_beyond(const Allocation& allocation, uintptr_t offset, const std::string& whose) {
  uintptr_t past = offset - allocation.bytes;
  std::string element = element_at(allocation, offset);
  std::string where = past == 0 ? "just past the end of " : concat(past, " bytes past the end of ");
  return concat(element, element.empty() ? "" : ", ", where, allocation.bytes, " bytes from ", allocation.what, whose);
}

std::string describe_device_memory(uintptr_t address, int rank, int own_rank) {
  const DeviceMemory& memory = world->devices[static_cast<size_t>(rank)]->memory;
  std::string whose = rank == own_rank ? "" : concat(" of rank ", rank);
  for (uintptr_t back = 0; back <= kReach; back++) {
    const Allocation* near = memory.find(address - back);
    if (!near) continue;
    uintptr_t offset = address - near->begin;
    if (near->freed) return concat("freed memory, once ", describe_inside(*near, offset, whose));
    return offset < near->bytes ? describe_inside(*near, offset, whose) : describe_beyond(*near, offset, whose);
  }
  return concat("memory", whose.empty() ? concat(" of rank ", rank) : whose, " that was never allocated");
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

std::string describe_running(const AccessSite* site) {
  std::string who = describe_running(), place = place_of(site);
  if (place.empty()) return who + ":";
  // A thread's latest library call may stand in the same line.
  if (who.ends_with(concat(" at ", place))) who.resize(who.size() - place.size() - 4);
  return concat(who, ": ", place);
}

int running_rank() {
  if (current_block) return current_block->grid().device().rank;
  return world->current_host ? world->current_host->process->rank : -1;
}

std::string describe_memory(uintptr_t address, int own_rank) {
  int rank = device_of(address);
  if (rank >= 0 && static_cast<size_t>(rank) < world->devices.size())
    return describe_device_memory(address, rank, own_rank);
  if (address >= kSharedBase && address < kSharedEnd) {
    if (!current_block) return "shared memory";
    uintptr_t begin = reinterpret_cast<uintptr_t>(current_block->shared_memory());
    return concat("byte ", address - begin, " of the block's shared memory of ", current_block->grid().shared_bytes(),
                  " bytes");
  }
  return address < 4096 ? "a null pointer" : "host memory";
}

void report_once(const std::string& kind, int rank, const std::string& place, const std::string& text,
                 model::Severity severity) {
  static std::map<std::pair<std::string, std::string>, size_t> made;
  auto known = made.find({kind, place});
  if (known != made.end()) return world->add_rank(known->second, rank);
  made[{kind, place}] = world->add_finding(kind, rank, text, severity);
}

}  // namespace cuco::vcluster
