// Which backends can carry the site at all.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

using model::Collective;

Objection site_has_blocker(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (!is_device(proposal.directive.backend) || site.blockers.empty()) return std::nullopt;
  return concat(site.name, " cannot be made device-initiated: ", site.blockers.front());
}

Objection peers_outside_node(const Proposal& proposal) {
  const model::Topology& topology = proposal.profile.topology;
  if (!is_load_store(proposal.directive.backend) || topology.nodes == 1) return std::nullopt;
  const std::string& split = proposal.site.split_communicator;
  if (!split.empty())
    return concat("that the ranks of ", in_backticks(split), " share one of the ", topology.nodes, " nodes of ",
                  proposal.profile.name, " is not known, and loads and stores reach no other node");
  return concat("the ranks are on ", topology.nodes, " nodes of ", proposal.profile.name,
                ", and loads and stores reach no other node");
}

Objection no_nic(const Proposal& proposal) {
  if (proposal.directive.backend != Backend::Gin || proposal.profile.topology.between) return std::nullopt;
  return concat(proposal.profile.name,
                " is one node without a NIC between its ranks, and every put goes through a NIC");
}

Objection hybrid_has_one_kind_of_peer(const Proposal& proposal) {
  const model::Topology& topology = proposal.profile.topology;
  if (proposal.directive.backend != Backend::Hybrid) return std::nullopt;
  if (topology.nodes > 1 && topology.ranks_per_node > 1) return std::nullopt;
  return concat("hybrid needs peers inside and outside the node, and ", proposal.profile.name, " has ",
                counted(topology.nodes, "node"), " of ", counted(topology.ranks_per_node, "rank"));
}

Objection no_multicast(const Proposal& proposal) {
  if (proposal.directive.backend != Backend::Multimem || proposal.profile.topology.multimem) return std::nullopt;
  return concat(proposal.profile.name, " has no NVLink multicast");
}

// Reduced or not: all ranks get the same bytes of a sender.
bool sends_same_bytes_to_all(Collective collective) {
  const model::CollectiveTraits& traits = model::traits_of(collective);
  return !model::is_transfer(collective) && traits.receivers == model::Ranks::All && !traits.sends_to_each;
}

Objection multicast_of_unlike_messages(const Proposal& proposal) {
  if (proposal.directive.backend != Backend::Multimem) return std::nullopt;
  if (model::is_reduction(proposal.site.collective) || sends_same_bytes_to_all(proposal.site.collective))
    return std::nullopt;
  return concat(proposal.site.callee, " has other bytes for each peer, and a multicast store gives all the same");
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// What ptxas 13.0 accepts as multimem.ld_reduce for sm_90: sums of 32 and 64 bit words and of 16-bit floats in pairs,
// minima and maxima of the same without float and double. An average is a scaled sum. 8-bit floats exist for sm_100a
// alone, which no portable program may assume.
bool multimem_reduces(std::string_view type, std::string_view operation) {
  bool sums = is_any_of(operation, {"ncclSum", "ncclAvg"});
  if (is_any_of(type, {"ncclFloat", "ncclFloat32", "ncclDouble", "ncclFloat64"})) return sums;
  return is_any_of(type, {"ncclInt", "ncclInt32", "ncclUint32", "ncclInt64", "ncclUint64", "ncclHalf", "ncclFloat16",
                          "ncclBfloat16"}) &&
         (sums || is_any_of(operation, {"ncclMin", "ncclMax"}));
}

Objection multicast_cannot_reduce_type(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.backend != Backend::Multimem || site.reduction.empty()) return std::nullopt;
  if (multimem_reduces(site.type, site.reduction)) return std::nullopt;
  return concat("multimem.ld_reduce has no ", site.reduction, " of ", site.type);
}

Objection staging_exceeds_memory(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (!uses_nic(proposal.directive.backend) || site.reduction.empty() || !site.message_bytes) return std::nullopt;
  uint64_t peers = proposal.profile.topology.rank_count() - 1;
  double hbm_bytes = proposal.profile.gpu.hbm_gib * 1024 * 1024 * 1024;
  if (static_cast<double>(peers) * static_cast<double>(*site.message_bytes) <= hbm_bytes) return std::nullopt;
  return concat("a put cannot add, and staging ", bytes_text(*site.message_bytes), " from each of ",
                counted(peers, "peer"), " exceeds the ", proposal.profile.gpu.hbm_gib, " GiB of ",
                proposal.profile.name);
}

constexpr std::array kBackendRules = {
    Rule{"no-blocker", {Dimension::Backend}, site_has_blocker},
    Rule{"lsa-one-node", {Dimension::Backend}, peers_outside_node},
    Rule{"gin-nic", {Dimension::Backend}, no_nic},
    Rule{"hybrid-both-peers", {Dimension::Backend}, hybrid_has_one_kind_of_peer},
    Rule{"multimem-hardware", {Dimension::Backend}, no_multicast},
    Rule{"multimem-collective", {Dimension::Backend}, multicast_of_unlike_messages},
    Rule{"multimem-type", {Dimension::Backend}, multicast_cannot_reduce_type},
    Rule{"gin-staging-fits", {Dimension::Backend}, staging_exceeds_memory},
};

}  // namespace

std::span<const Rule> backend_rules() { return kBackendRules; }

}  // namespace cuco::space
