#include "vcluster/runtime/checkers/leaks.h"

#include <map>
#include <vector>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

struct OpenObject {
  const Process* process;
  const void* object;
  std::string made;  // "a stream, made at file.cu:7,"
  const char* undo;
};

// In order of making: addresses differ from run to run.
std::vector<OpenObject>& open_objects() {
  static std::vector<OpenObject> all;
  return all;
}

struct Tally {
  size_t count = 0, bytes = 0;
};

// Devices of a node are shared between its processes: a process answers for the one it was given.
std::map<std::string, Tally> left_memory(const Process& process) {
  std::map<std::string, Tally> by_call;
  for (const Device* device : process.devices) {
    if (world->options.ranks_are_processes && device->rank != process.rank) continue;
    for (const Allocation* allocation : device->memory.live()) {
      if (allocation->what == "ncclDevCommCreate") continue;
      Tally& tally = by_call[allocation->what];
      tally.count++;
      tally.bytes += allocation->bytes;
    }
  }
  return by_call;
}

std::map<std::string, size_t> left_objects(const Process& process) {
  std::map<std::string, size_t> by_call;
  for (const OpenObject& open : open_objects())
    if (open.process == &process) by_call[concat(open.made, " without ", open.undo)]++;
  return by_call;
}

}  // namespace

void note_open(const Process& process, const void* object, const char* what, const char* undo) {
  open_objects().push_back({&process, object, concat(what, host_place()), undo});
}

void note_closed(const void* object) {
  std::erase_if(open_objects(), [object](const OpenObject& open) { return open.object == object; });
}

void note_reset(const Process& process) {
  std::erase_if(open_objects(), [&](const OpenObject& open) {
    return open.process == &process && std::string_view(open.undo).starts_with("cuda");
  });
}

void check_leaks(const Process& process) {
  for (const auto& [call, tally] : left_memory(process))
    world->add_warning(
        "leak", process.rank,
        concat(counted(tally.count, "allocation"), " of ", tally.bytes, " bytes from ", call, " never freed"));
  for (const auto& [what, count] : left_objects(process))
    world->add_warning("leak", process.rank, concat(count, " x ", what));
  if (process.open_groups > 0)
    world->add_finding("collective_mismatch", process.rank, "ncclGroupStart is called without ncclGroupEnd");
}

}  // namespace cuco::vcluster
