// How the receiver learns that bytes have arrived.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

Objection host_call_signals(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (is_device(directive.backend) || waits_on_host_side(directive.sync)) return std::nullopt;
  return "a host call is complete when its stream has passed it; it raises nothing that a kernel could wait for";
}

bool is_signal(SyncScope sync) { return sync == SyncScope::PeerSignal || sync == SyncScope::ChunkSignal; }

Objection signal_without_put(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (!is_load_store(directive.backend) || !is_signal(directive.sync)) return std::nullopt;
  return "signals are raised by puts; a peer that stores into a window raises a flag there";
}

Objection flag_through_nic(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (directive.sync != SyncScope::Flag || !uses_nic(directive.backend)) return std::nullopt;
  return "a flag is a store that follows the data's stores, and a NIC orders a put only before its signal";
}

Objection kernel_end_is_not_arrival(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (!uses_nic(directive.backend) || !waits_on_host_side(directive.sync)) return std::nullopt;
  return "the end of a kernel that put bytes, like flush, says that sources may be reused, not that bytes have arrived";
}

Objection kernel_goes_on_after_transfer(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (!waits_on_host_side(directive.sync)) return std::nullopt;
  if (directive.placement == Placement::Deferred || directive.placement == Placement::Stream) return std::nullopt;
  return "the host side sees a kernel end, not a transfer inside one; only deferred and stream end with the transfer";
}

Objection event_between_processes(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (directive.sync != SyncScope::StreamEvent || !is_load_store(directive.backend)) return std::nullopt;
  model::RankModel ranks = proposal.site.rank_model;
  if (ranks == model::RankModel::Threads || ranks == model::RankModel::SingleProcess) return std::nullopt;
  return "peers in other processes cannot wait for this rank's event without their hosts meeting, which is host-sync";
}

Objection host_waits_inside_loop(const Proposal& proposal) {
  model::LoopRole role = proposal.site.loop_role;
  if (proposal.directive.sync != SyncScope::HostSync) return std::nullopt;
  if (role == model::LoopRole::Peers)
    return concat(proposal.site.name,
                  " is in a loop over peers, and a host that waits for one peer holds up the others");
  if (role == model::LoopRole::Chunks)
    return concat(proposal.site.name, " is in a loop over chunks, and a host that waits for each has one in flight");
  return std::nullopt;
}

Objection ranks_stay_away_from_barrier(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.sync != SyncScope::Barrier) return std::nullopt;
  if (!site.condition.empty())
    return concat("a barrier needs every rank, and ", site.name, " is reached only if ", in_backticks(site.condition));
  bool some_ranks =
      site.group_pattern == model::GroupPattern::Pairwise || site.group_pattern == model::GroupPattern::Mixed;
  if (is_point_to_point(site.collective) && some_ranks)
    return concat("a barrier needs every rank, and the exchange of ", site.name, " is ", name_of(site.group_pattern));
  return std::nullopt;
}

// The epilogue of every CTA meets that of the same CTA on each peer.
bool is_barrier_per_tile(const Directive& directive) {
  return directive.placement == Placement::TileFused && directive.sync == SyncScope::Barrier &&
         directive.issuer == Issuer::MultiCta;
}

Objection grids_may_differ(const Proposal& proposal) {
  if (!is_barrier_per_tile(proposal.directive)) return std::nullopt;
  for (const LinkedWork& work : tile_works(proposal.site))
    if (!work.grid_ctas)
      return concat("CTA i meets CTA i of every peer, and that ", in_backticks(work.grid), ", the grid of ",
                    in_backticks(work.name), ", is equal on all ranks is not known");
  return std::nullopt;
}

Objection barrier_ctas_exceed_residency(const Proposal& proposal) {
  if (!is_barrier_per_tile(proposal.directive)) return std::nullopt;
  return spinning_grid_too_large(tile_works(proposal.site), proposal.profile);
}

constexpr std::array kSyncRules = {
    Rule{"host-completion", {Dimension::Backend, Dimension::Sync}, host_call_signals},
    Rule{"signal-needs-put", {Dimension::Backend, Dimension::Sync}, signal_without_put},
    Rule{"flag-needs-store", {Dimension::Backend, Dimension::Sync}, flag_through_nic},
    Rule{"put-arrival", {Dimension::Backend, Dimension::Sync}, kernel_end_is_not_arrival},
    Rule{"host-side-placement", {Dimension::Placement, Dimension::Sync}, kernel_goes_on_after_transfer},
    Rule{"event-one-process", {Dimension::Backend, Dimension::Sync}, event_between_processes},
    Rule{"host-sync-loop", {Dimension::Sync}, host_waits_inside_loop},
    Rule{"barrier-all-ranks", {Dimension::Sync}, ranks_stay_away_from_barrier},
    Rule{"barrier-equal-grids", {Dimension::Placement, Dimension::Sync, Dimension::Issuer}, grids_may_differ},
    Rule{"barrier-resident", {Dimension::Placement, Dimension::Sync, Dimension::Issuer}, barrier_ctas_exceed_residency},
};

}  // namespace

std::span<const Rule> sync_rules() { return kSyncRules; }

}  // namespace cuco::space
