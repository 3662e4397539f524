#include "campaign/layout.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::campaign {

std::string usual_profile(uint32_t rank_count, uint32_t node_count) {
  return rank_count > 4 * std::max(node_count, 1u) ? "h100x8-nvlink" : "a100x4-nvlink";
}

Status check_layout(const std::string& command, uint32_t rank_count, uint32_t node_count, const std::string& name,
                    const model::HardwareProfile& profile) {
  if (node_count == 0 || rank_count == 0 || rank_count % node_count != 0)
    return Error{concat(command, ": error: ", rank_count, " ranks cannot be spread evenly over ",
                        counted(node_count, "node"), "; give -n a multiple of --nodes")};
  uint32_t there = profile.topology.ranks_per_node;
  if (rank_count / node_count <= there) return Done{};
  return Error{concat(command, ": error: ", rank_count, " ranks on ", counted(node_count, "node"), " need ",
                      rank_count / node_count, " GPUs a node, and profile ", name, " has ", there, "; give at most -n ",
                      there * node_count, ", more --nodes or another --profile")};
}

}  // namespace cuco::campaign
