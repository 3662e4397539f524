#include "agent/space_text.h"

#include <algorithm>

#include "base/text.h"
#include "space/enumerate.h"

namespace cuco::agent {

namespace {

std::string link_line(const char* where, const std::optional<model::Link>& link) {
  if (!link) return {};
  return concat(where, ": ", link->kind, ", ", link->latency_us, " us, ", link->gb_per_s, " GB/s a rank each way.\n");
}

std::vector<std::string> values_of(const std::vector<space::Directive>& directives, space::Dimension dimension) {
  std::vector<std::string> values;
  for (const space::Directive& directive : directives) {
    std::string value = space::value_text(directive, dimension);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

std::string message_text(const space::SiteFacts& site) {
  return site.message_bytes ? concat(" of ", *site.message_bytes, " bytes a rank") : "";
}

}  // namespace

std::string describe_machine(const model::HardwareProfile& profile) {
  const model::Topology& topology = profile.topology;
  const model::Latencies& latencies = profile.latencies;
  return concat(counted(topology.rank_count(), "rank"), " on ", counted(topology.nodes, "node"), ", each with ",
                profile.gpu.sm_count, " SMs of ", profile.gpu.name, ".\n",
                link_line("Inside a node", topology.ranks_per_node > 1 ? topology.inside : std::nullopt),
                link_line("Between nodes", topology.nodes > 1 ? topology.between : std::nullopt), "A launch takes ",
                latencies.launch_us, " us, the step from a kernel to the next on its stream ", latencies.kernel_gap_us,
                " us, an event between streams ", latencies.event_us, " us, a host collective without bytes ",
                latencies.collective_us, " us, a flag to a peer ", latencies.flag_hop_us, " us.\n");
}

std::string describe_sizes(const std::vector<std::pair<std::string, int64_t>>& parameters) {
  std::vector<std::string> values;
  for (const auto& [name, value] : parameters) values.push_back(concat(name, "=", value));
  return values.empty() ? "" : concat("It is timed with ", join(values, ", "), ", and must be right with others.\n");
}

std::string describe_choices(const std::vector<space::SiteFacts>& sites, const model::HardwareProfile& profile) {
  std::string text;
  for (const space::SiteFacts& site : sites) {
    std::vector<space::Directive> legal = space::legal_directives(site, profile);
    std::vector<std::string> parts;
    for (space::Dimension dimension : space::kDimensions)
      parts.push_back(concat(space::name_of(dimension), " ", join(values_of(legal, dimension), ", ")));
    text += concat("- ", site.name, ", ", site.callee, message_text(site), " at ", site.location, ": ",
                   join(parts, "; "), "\n");
  }
  return text;
}

}  // namespace cuco::agent
