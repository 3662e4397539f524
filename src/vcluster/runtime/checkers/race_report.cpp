#include "vcluster/runtime/checkers/race_report.h"

#include "base/text.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

std::string verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::Read:
      return "reads";
    case AccessKind::Write:
      return "writes";
    case AccessKind::AtomicRead:
      return "atomically reads";
    case AccessKind::AtomicWrite:
      return "atomically writes";
    case AccessKind::AtomicUpdate:
      return "atomically updates";
  }
  return "accesses";
}

std::string place_of(const AccessRecord& access) {
  if (!access.site) return "";
  if (access.site->line == 0) return concat(" in ", access.site->function, " of ", access.site->file);
  return concat(" at ", access.site->file, ":", access.site->line);
}

std::string describe(const Actors& actors, const AccessRecord& access) {
  const Actor& actor = actors[access.epoch.actor];
  std::string who = concat("rank ", actor.rank, ", ", actor.what);
  if (actor.kind == ActorKind::Kernel)
    who += concat(", block ", access.epoch.thread / actor.threads_per_block, " thread ",
                  access.epoch.thread % actor.threads_per_block);
  return concat(who, " ", verb_of(access.kind), place_of(access));
}

std::string object_at(uintptr_t address) {
  int rank = device_of(address);
  if (address >= kSharedBase && address < kSharedEnd) return "shared memory";
  if (rank < 0) return "a __device__ variable";
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(address);
  if (!allocation) return concat("memory of rank ", rank);
  return concat("byte ", address - allocation->begin, " of ", allocation->bytes, " from ", allocation->what,
                " of rank ", rank);
}

const char* advice_for(std::string_view kind) {
  if (kind == "source_reuse")
    return "the put may not have read its source yet: flush, or wait for its counter, before writing there";
  if (kind == "missing_fence")
    return "a flag, barrier or signal connects the two, but without the block barrier, fence or acquire/release order "
           "of the needed scope it says nothing of this data";
  if (kind == "stale_wait")
    return "the wait for the put's signal before it asks for no more than an earlier wait did: it is met before this "
           "put has arrived";
  if (kind == "window_race") return "no barrier, signal or acquired flag between the ranks orders them";
  return "no barrier, event, stream order or fenced flag orders them";
}

// The same lines race in many threads; the lines, or the operation where there are none, tell findings apart.
std::string identity_of(const Actors& actors, const AccessRecord& access) {
  return access.site ? place_of(access) : actors[access.epoch.actor].what;
}

}  // namespace

void RaceReport::add(const char* kind, const Actors& actors, const AccessRecord& before, const AccessRecord& now,
                     uintptr_t address) {
  std::string a = identity_of(actors, before), b = identity_of(actors, now);
  if (b < a) std::swap(a, b);
  if (!reported_.insert(concat(kind, "|", a, "|", b)).second) return;
  world->add_finding(
      kind, actors[now.epoch.actor].rank,
      concat(describe(actors, before), "; ", describe(actors, now), " (", object_at(address), "): ", advice_for(kind)));
}

}  // namespace cuco::vcluster
