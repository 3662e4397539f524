// What the legality rules need to know about one site, gathered from the program so that a rule is a look at a few
// fields and a test can state a site by hand. Names and locations are here because reasons name what they speak about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::space {

// Device work that feeds a site or is fed by it.
struct LinkedWork {
  model::OperationKind kind = model::OperationKind::Launch;
  std::string name;                       // The kernel's, or that of the called function.
  std::string tile_obstacle;              // Why no tile of it can be sent or awaited alone; empty when one can.
  std::string grid;                       // As written.
  std::optional<uint64_t> grid_ctas;      // When written in numbers.
  std::optional<uint64_t> block_threads;  // When written in numbers.
  uint32_t block_barriers = 0;
  bool has_body = false;  // A kernel whose definition is part of the program.
  bool cooperative = false;
  bool grid_barrier = false;
};

struct SiteFacts {
  std::string name;
  std::string callee;    // "ncclAllGather".
  std::string location;  // "file:line:col".
  model::Collective collective{};
  std::string type;                       // "ncclFloat".
  uint32_t element_bytes = 0;             // 0 when the type is not known.
  std::string reduction;                  // "ncclSum"; empty when the call has none.
  std::optional<uint64_t> message_bytes;  // Count x element, when constant and equal on all call paths.
  std::vector<LinkedWork> producers;
  std::vector<LinkedWork> consumers;
  uint32_t overlap_count = 0;            // Independent work of the same iteration.
  uint32_t overlap_iteration_count = 0;  // Independent work that belongs to another iteration.
  model::LoopRole loop_role = model::LoopRole::None;
  model::GroupPattern group_pattern = model::GroupPattern::None;
  std::string condition;  // Outermost branch around the site, or around its group, when not every rank may reach it;
                          // else empty.
  std::string exchange;   // Sites with equal text are ends of one exchange and must agree on how it is done.
  std::string split_communicator;  // Name, when the communicator comes from a split.
  model::RankModel rank_model = model::RankModel::Unknown;
  bool in_region = false;
  std::vector<std::string> blockers;
  std::vector<std::string> staging;  // Why its buffers cannot be windows; empty when they can.
};

SiteFacts site_facts(const model::Program& program, const model::CommGraph& graph, model::Index site);
std::vector<SiteFacts> all_site_facts(const model::Program& program, const model::CommGraph& graph);

// Sends the bytes of all sites through staging memory, which asks nothing of their buffers. `sites` are the graph's.
void stage_all(model::CommGraph& graph, std::vector<SiteFacts>& sites);
bool is_all_staged(const std::vector<SiteFacts>& sites);

bool is_point_to_point(model::Collective collective);

// Work whose tiles can all be told apart, so that a tile can be sent from it or awaited in it.
bool has_known_tiles(const std::vector<LinkedWork>& works);

// The work that a tile-fused transfer would be written into: producers, consumers or both.
std::vector<LinkedWork> tile_works(const SiteFacts& site);

// Rounds in which a peer is written to: an all-reduce scatters partial sums, then gathers results.
uint32_t phase_count(const SiteFacts& site);

// The product of the numbers in "128", "4 * 32", "dim3(8, 8)" or "dim3{8, 8}"; nothing when a name is among them.
std::optional<uint64_t> literal_extent(std::string_view text);

}  // namespace cuco::space
