// What stands behind a device communicator: signals, counters, barriers and the puts under way.
#pragma once

#include <nccl_device.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/checkers/barriers.h"
#include "vcluster/runtime/checkers/signal_ledger.h"

namespace cuco::vcluster {

struct ThreadRef {
  Block* block;
  uint32_t thread;
};

// A value that grows at arrival times and that threads wait for.
struct WaitedValue {
  struct Waiter {
    ThreadRef who;
    uint64_t least;
    int bits;
  };
  uint64_t value = 0;
  std::vector<Waiter> waiting;
  SignalLedger ledger;
  size_t last_send = Timeline::kNoSend;  // Whose arrival changed it last.

  static bool reached(uint64_t least, uint64_t value, int bits);
  void add(uint64_t amount);
};

// One context of one rank.
struct GinContext {
  std::vector<WaitedValue> signals;
  std::vector<WaitedValue> counters;
  std::vector<Time> last_arrival;  // By peer: no signal overtakes an earlier put.
  Time sources_read = 0;           // When every source posted so far has been read.
};

struct DevCommShared;

struct DevCommRank {
  std::shared_ptr<DevCommShared> shared;
  int rank = 0;
  Device* device = nullptr;
  std::vector<GinContext> contexts;
  std::map<const void*, WaitedValue> va_signals;  // By the address of their word.
  bool has_strong_signals = true;                 // Otherwise plain signals are weak, and strong ones may not be sent.
  bool is_destroyed = false;
};

// A barrier over a team, one per (context or LSA, handle, index, team).
struct TeamBarrier {
  std::map<int, uint64_t> arrivals;              // By world rank: how often it has arrived.
  std::map<std::pair<int, int>, uint64_t> seen;  // (at, from): arrivals of `from` visible at `at`.
  struct Waiter {
    ThreadRef who;
    int rank;
    uint64_t epoch;
    std::vector<int> team;
  };
  std::vector<Waiter> waiting;
  BarrierLedger ledger;
};

struct DevCommShared {
  std::shared_ptr<NcclShared> comm;
  std::vector<std::shared_ptr<DevCommRank>> ranks;
  std::map<std::string, TeamBarrier> barriers;
};

// Findings about the barriers of a run that is over, or that cannot go on.
void check_barriers(const DevCommShared& shared, bool is_stuck);

// Whether a window was ever made with this address.
bool is_window(const void* address);

// Whether this memory of a rank is registered.
bool lies_in_window(const void* address);

// The window's host side: what the multicast address space maps to.
struct WindowGroup {
  const NcclShared* comm = nullptr;
  bool has_strict_ordering = false;  // Otherwise a signal in it may pass earlier puts.
  std::vector<char*> base_of_rank;
  std::vector<size_t> bytes_of_rank;
  std::vector<bool> is_gone_on_rank;  // Deregistered there.
  std::vector<int> lsa_ranks;
  char* multicast_base = nullptr;
};

// What the runner knows of one rank's window. Programs hold a copy of part of it, which they can overwrite.
struct Window {
  std::shared_ptr<WindowGroup> group;
  int rank = 0;  // Of the communicator's world.
  int lsa_first = 0, lsa_count = 0;
  size_t bytes_of_all = 0;  // That every rank has.
  bool is_registered = true;

  bool has_rank(int peer) const { return peer >= 0 && static_cast<size_t>(peer) < group->base_of_rank.size(); }
  bool reaches(int peer) const { return peer >= lsa_first && peer < lsa_first + lsa_count; }
  char* base(int peer) const { return group->base_of_rank[static_cast<size_t>(peer)]; }
  size_t bytes(int peer) const { return group->bytes_of_rank[static_cast<size_t>(peer)]; }
};

// Null when no window has this handle.
Window* window_of(ncclWindow_t handle);

// Registers memory of every rank as one window; `out` per rank receives the handle.
ncclWindow_t make_window(const ncclComm& comm, const std::shared_ptr<WindowGroup>& group);
std::shared_ptr<WindowGroup> make_window_group(const NcclShared& shared, std::vector<char*> bases,
                                               std::vector<size_t> bytes);
const WindowGroup* window_at_multicast(uintptr_t address);

}  // namespace cuco::vcluster
