// Who feeds whom: the data dependences between device work, seen from the communication calls.
//
// A dependence joins two steps that touch the same bytes, at least one of them writing. Where a kernel reaches is not
// known from its source, so a dependence through one is `assumed` when only the part of the buffer is uncertain.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace cuco::model {

enum class DependenceKind : uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };

struct Dependence {
  Index from = kNone;  // Operations; from happens first.
  Index to = kNone;
  Index buffer = kNone;
  DependenceKind kind{};
  bool carried = false;  // From one iteration of a loop into a later one.
  bool assumed = false;  // Same buffer, but whether the same bytes is not known.
  bool ordered = true;   // Streams, events or the host make `to` wait. False is a race in the user's program.

  bool operator==(const Dependence&) const = default;
};

// Ranks: one process drives several GPUs and calls for each in turn.
enum class LoopRole : uint8_t { None, Peers, Ranks, Chunks, Iterations };

enum class GroupPattern : uint8_t { None, Ring, AllToAll, Gather, Scatter, Pairwise, Mixed };

// Work that neither feeds the site nor is fed by it, directly or through others.
struct Overlap {
  Index operation = kNone;
  bool assumed = false;          // Holds if kernels stay inside the slice their pointer begins at.
  bool other_iteration = false;  // Only with the site of another iteration.
};

// One communication call in the source.
struct Site {
  std::string name;               // "s1", "s2", ... in source order of first execution.
  std::vector<Index> operations;  // One per call path that reaches it.
  Index send_buffer = kNone;
  Index recv_buffer = kNone;
  std::vector<Index> producers;  // Into CommGraph::dependences: nearest writers of what it sends.
  std::vector<Index> consumers;  // Nearest readers of what it receives.
  std::vector<Overlap> overlaps;
  LoopRole loop_role = LoopRole::None;
  GroupPattern group_pattern = GroupPattern::None;
  bool in_region = false;
  std::vector<std::string> blockers;  // Why it cannot be made device-initiated; empty when it can.
  std::vector<std::string> staging;   // Why its buffers cannot be windows and it needs staging memory; empty: they can.
};

struct CommGraph {
  std::vector<Site> sites;
  std::vector<Dependence> dependences;
  std::vector<Index> window_buffers;  // Buffers that must become windows if every site that can goes to the device.
};

// Fills in program.timed_region and program.outputs, then builds the graph.
CommGraph build_comm_graph(Program& program);

std::string_view name_of(DependenceKind kind);
std::string_view name_of(LoopRole role);
std::string_view name_of(GroupPattern pattern);

}  // namespace cuco::model
