// Compute bodies: calls of device functions that only compute, in kernels of which every block runs because they
// communicate. In a sampled run a few blocks make such a call; for the others it counts as what it took those. All
// threads of a block make it or leave it out together. What else a block does is done as it stands.
//
// A body that is left out stores nothing. The compiler plugin (plugins/costs/bodies.h) picks calls whose results
// decide nothing, and says where they store; loads that decide something are reported, and a body that stores to
// what such a load reads is made every time. When that shows after it was left out, the run is given up as "steered",
// to be made again with all bodies.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "vcluster/run_report.h"
#include "vcluster/runtime/gpu/sampling.h"

namespace cuco::vcluster {

class Block;
class Grid;

// One call in the program's text, as the plugin lays it out.
struct BodySite {
  const char* function;
  const char* place;    // file:line of the call.
  const char* refusal;  // Why it is made every time; null: it may be left out.
};

// Where a body stores, likewise. No address: anywhere. No bytes: as far as the memory around it goes.
struct StoredPlace {
  uintptr_t address;
  uint64_t bytes;
};

// Of one site in one grid.
struct GridBody {
  struct Stored {
    bool in_shared_memory;  // `begin` and `end` count from where the block's begins.
    uintptr_t begin, end;

    bool operator==(const Stored&) const = default;
  };

  const BodySite* site;
  CallSample sample;
  BodyReport* report;  // Of all grids.
  std::vector<Stored> stores;
  std::string refusal;    // Empty: it may be left out.
  bool is_small = false;  // Leaving it out would save nothing.
  uint64_t left_out_count = 0;
};

// One call by a block, which its threads make one after the other.
struct BodyCall {
  GridBody* body;
  uint64_t round;  // Of its block.
  bool is_made = true;
  bool is_open = true;  // More of its threads may come.
  uint32_t entered_count = 0;
  uint32_t inside_count = 0;  // Threads that have not come back.
  uint64_t last_turn = 0;     // Of the block, in which a thread entered.
  uint64_t waits_before = 0;
  BlockWork work = {};
};

// Of one site in one block.
struct BlockBody {
  const BodySite* site;
  std::vector<uint64_t> next_round;  // By thread.
  std::deque<BodyCall> calls;        // By round.
};

class GridBodies {
 public:
  explicit GridBodies(Grid& grid) : grid_(grid) {}

  // The running thread comes to a body; false: it goes on without.
  bool begin(Block& block, const BodySite& site, std::span<const StoredPlace> stores);
  void end(Block& block);
  // The running thread, which is in no body, loads what decides what it does.
  void steer(const Block& block, uintptr_t address);
  void end_block(Block& block);

 private:
  GridBody& body_of(const BodySite& site);
  BodyCall& call_of(Block& block, BlockBody& own, GridBody& body, uint64_t round);
  bool may_leave_out(const Block& block, const GridBody& body, uint64_t round) const;
  void close(const Block& block, BodyCall& call);
  void note_store(const Block& block, GridBody& body, const StoredPlace& place);
  std::string describe(const BodySite& site) const;

  Grid& grid_;
  std::deque<GridBody> bodies_;
};

}  // namespace cuco::vcluster
