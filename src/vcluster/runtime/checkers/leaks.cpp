#include "vcluster/runtime/checkers/leaks.h"

#include <map>

#include "base/text.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

struct Tally {
  size_t count = 0, bytes = 0;
};

// Devices of a node are shared between its processes: a process answers for the one it was given.
std::map<std::string, Tally> left_memory(const Process& process) {
  std::map<std::string, Tally> by_call;
  for (const Device* device : process.devices) {
    if (world->options.ranks_are_processes && device->rank != process.rank) continue;
    for (const Allocation* allocation : device->memory.live()) {
      Tally& tally = by_call[allocation->what];
      tally.count++;
      tally.bytes += allocation->bytes;
    }
  }
  by_call.erase("ncclDevCommCreate");
  return by_call;
}

void report(const Process& process, int count, const char* what, const char* undo) {
  if (count > 0)
    world->add_finding("leak", process.rank, concat(counted(static_cast<size_t>(count), what), " without ", undo));
}

}  // namespace

void check_leaks(const Process& process) {
  for (const auto& [call, tally] : left_memory(process))
    world->add_finding(
        "leak", process.rank,
        concat(counted(tally.count, "allocation"), " of ", tally.bytes, " bytes from ", call, " never freed"));
  report(process, process.open_comms, "communicator", "ncclCommDestroy");
  report(process, process.open_windows, "window", "ncclCommWindowDeregister");
  report(process, process.open_dev_comms, "device communicator", "ncclDevCommDestroy");
  if (process.open_groups > 0)
    world->add_finding("collective_mismatch", process.rank, "ncclGroupStart is called without ncclGroupEnd");
}

}  // namespace cuco::vcluster
