#include "vcluster/runtime/checkers/race_report.h"

#include "base/text.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

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

std::string describe(const Actors& actors, const AccessRecord& access, bool names_rank) {
  const Actor& actor = actors[access.epoch.actor];
  std::string who = concat(names_rank ? concat("rank ", actor.rank, ", ") : "", actor.what);
  if (actor.kind == ActorKind::Kernel)
    who += concat(", block ", access.epoch.thread / actor.threads_per_block, " thread ",
                  access.epoch.thread % actor.threads_per_block);
  return concat(who, " ", verb_of(access.kind), place_of(access));
}

std::string object_at(uintptr_t address, int own_rank) {
  if (address >= kSharedBase && address < kSharedEnd) return "shared memory";
  return device_of(address) < 0 ? "a __device__ variable" : describe_memory(address, own_rank);
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
  int rank = actors[now.epoch.actor].rank;
  auto [known, is_new] = reported_.try_emplace(concat(kind, "|", a, "|", b));
  if (!is_new) return world->add_rank(known->second, rank);
  bool names_ranks = actors[before.epoch.actor].rank != rank;
  known->second =
      world->add_finding(kind, rank,
                         concat(describe(actors, before, names_ranks), "; ", describe(actors, now, names_ranks),
                                "; both touch ", object_at(address, names_ranks ? -1 : rank), ": ", advice_for(kind)));
}

}  // namespace cuco::vcluster
