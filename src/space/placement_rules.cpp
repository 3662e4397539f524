// When and from which kernel the transfer is issued.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "space/resources.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

Objection host_call_inside_kernel(const Proposal& proposal) {
  Placement placement = proposal.directive.placement;
  if (is_device(proposal.directive.backend)) return std::nullopt;
  if (placement == Placement::Deferred || placement == Placement::Stream) return std::nullopt;
  if (placement == Placement::Split)
    return "a host call cannot be cut into a put and a wait; with stream it runs early and is awaited late";
  return "a host call cannot be issued from inside a kernel";
}

Objection split_hides_nothing(const Proposal& proposal) {
  if (proposal.directive.placement != Placement::Split || proposal.site.overlap_count > 0) return std::nullopt;
  return concat("no independent work stands between what feeds ", proposal.site.name,
                " and what uses it, so split is the same as deferred");
}

Objection stream_hides_nothing(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.placement != Placement::Stream) return std::nullopt;
  // A chunk may leave while what feeds the next one still runs.
  if (is_device(proposal.directive.backend) && proposal.directive.chunk_bytes != kWholeMessage) return std::nullopt;
  if (site.overlap_count + site.overlap_iteration_count > 0) return std::nullopt;
  return concat("nothing is independent of ", site.name, ", so on a stream of its own it runs when deferred would");
}

std::string first_tile_obstacle(const SiteFacts& site) {
  for (const std::vector<LinkedWork>* side : {&site.producers, &site.consumers})
    for (const LinkedWork& work : *side)
      if (!work.tile_obstacle.empty()) return work.tile_obstacle;
  return "no kernel feeds it or reads what it receives";
}

// Which bytes of a message a kernel writes is for a traced run to say, and what comes is awaited at the call.
Objection no_kernel_to_send(const SiteFacts& site) {
  if (site.collective == model::Collective::Recv) return std::nullopt;
  if (std::ranges::any_of(site.producers, &LinkedWork::has_body)) return std::nullopt;
  return concat("no kernel of this program writes what ", site.name, " sends, so none can send it");
}

Objection tiles_are_unknown(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.placement != Placement::TileFused) return std::nullopt;
  if (is_point_to_point(site.collective)) return no_kernel_to_send(site);
  if (!tile_works(site).empty()) return std::nullopt;
  return concat("no tile of ", site.name, " can be sent or awaited alone: ", first_tile_obstacle(site));
}

Objection spinning_ctas_exceed_residency(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.placement != Placement::TileFused || !has_known_tiles(site.consumers)) return std::nullopt;
  // Blocks that read what was sent start when all that sent it on this GPU have ended, and wait for other GPUs alone.
  if (is_point_to_point(site.collective)) return std::nullopt;
  return spinning_grid_too_large(site.consumers, proposal.profile);
}

std::vector<LinkedWork> kernels_beside(const SiteFacts& site) {
  std::vector<LinkedWork> kernels;
  for (const std::vector<LinkedWork>* side : {&site.producers, &site.consumers})
    std::ranges::copy_if(*side, std::back_inserter(kernels), &LinkedWork::has_body);
  return kernels;
}

Objection no_kernel_to_share(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (proposal.directive.placement != Placement::Specialised || !kernels_beside(site).empty()) return std::nullopt;
  return concat("no kernel of this program feeds or uses ", site.name,
                ", so there is none whose CTAs could communicate");
}

Objection no_sm_to_spare(const Proposal& proposal) {
  const model::GpuProfile& gpu = proposal.profile.gpu;
  if (proposal.directive.placement != Placement::Specialised) return std::nullopt;
  if (gpu.sm_count < 2)
    return concat(proposal.profile.name, " has one SM, and the CTAs that communicate would take it");
  for (const LinkedWork& work : kernels_beside(proposal.site)) {
    uint64_t resident = resident_ctas_max(gpu, work.block_threads.value_or(1));
    if (work.cooperative && work.grid_ctas.value_or(0) >= resident)
      return concat("the cooperative grid of ", in_backticks(work.name), " has ", *work.grid_ctas, " CTAs, and ",
                    proposal.profile.name, " holds at most ", resident, " at once");
  }
  return std::nullopt;
}

Objection grid_barrier_excludes_idlers(const Proposal& proposal) {
  if (proposal.directive.placement != Placement::Specialised) return std::nullopt;
  for (const LinkedWork& work : kernels_beside(proposal.site))
    if (work.grid_barrier)
      return concat(in_backticks(work.name),
                    " synchronises its whole grid, which CTAs that only communicate never join");
  return std::nullopt;
}

Objection tile_fused_sends_all_at_once(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (directive.placement != Placement::TileFused || directive.chunk_bytes != kWholeMessage) return std::nullopt;
  return "with the whole message as one chunk nothing leaves before the last tile is done";
}

bool is_as_called(const Directive& directive) {
  return directive.placement == Placement::Deferred && directive.chunk_bytes == kWholeMessage;
}

Objection staged_elsewhere(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (!is_device(proposal.directive.backend) || site.staging.empty() || is_as_called(proposal.directive))
    return std::nullopt;
  return concat(site.name, " goes through staging memory, in the order of its calls: ", site.staging.front());
}

Objection one_thread_for_several_ranks(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  if (!is_device(proposal.directive.backend) || site.rank_model != model::RankModel::SingleProcess ||
      is_as_called(proposal.directive))
    return std::nullopt;
  return concat("one host thread drives several GPUs, and what runs beside their work is kept for one GPU a thread");
}

// A kernel that reduces what it writes is written for one type and operation.
Objection reduction_is_chosen_later(const Proposal& proposal) {
  const SiteFacts& site = proposal.site;
  Placement placement = proposal.directive.placement;
  bool inside_kernel = placement == Placement::TileFused || placement == Placement::Specialised;
  if (!inside_kernel || !model::is_reduction(site.collective)) return std::nullopt;
  static const std::set<std::string> kKnown = {"ncclSum", "ncclProd", "ncclMin", "ncclMax", "ncclAvg"};
  if (site.element_bytes == 0)
    return concat("the type ", in_backticks(site.type), " of its elements is chosen when the program runs");
  if (kKnown.contains(site.reduction)) return std::nullopt;
  return concat("its reduction ", in_backticks(site.reduction), " is chosen when the program runs");
}

constexpr std::array kPlacementRules = {
    Rule{"reduction-known", {Dimension::Placement}, reduction_is_chosen_later},
    Rule{"staged-deferred", {Dimension::Backend, Dimension::Placement, Dimension::Chunk}, staged_elsewhere},
    Rule{"one-thread-deferred",
         {Dimension::Backend, Dimension::Placement, Dimension::Chunk},
         one_thread_for_several_ranks},
    Rule{"host-placement", {Dimension::Backend, Dimension::Placement}, host_call_inside_kernel},
    Rule{"split-hides-work", {Dimension::Placement}, split_hides_nothing},
    Rule{"stream-hides-work", {Dimension::Backend, Dimension::Placement, Dimension::Chunk}, stream_hides_nothing},
    Rule{"tile-fused-tiles", {Dimension::Placement}, tiles_are_unknown},
    Rule{"tile-fused-resident", {Dimension::Placement}, spinning_ctas_exceed_residency},
    Rule{"tile-fused-chunk", {Dimension::Placement, Dimension::Chunk}, tile_fused_sends_all_at_once},
    Rule{"specialised-kernel", {Dimension::Placement}, no_kernel_to_share},
    Rule{"specialised-resident", {Dimension::Placement}, no_sm_to_spare},
    Rule{"specialised-grid-sync", {Dimension::Placement}, grid_barrier_excludes_idlers},
};

}  // namespace

std::span<const Rule> placement_rules() { return kPlacementRules; }

}  // namespace cuco::space
