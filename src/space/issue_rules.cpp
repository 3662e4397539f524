// Who issues the transfer, and in pieces of what size.
#include <array>

#include "base/text.h"
#include "space/resources.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

using model::Collective;

Objection host_call_has_no_issuer(const Proposal& proposal) {
  if (is_device(proposal.directive.backend) || proposal.directive.issuer == Issuer::Cta) return std::nullopt;
  return "no thread of the program issues a host call; its issuer is written cta";
}

// The body of a kernel of the program becomes a function, from which all threads come back.
Objection cta_may_have_diverged(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  bool whole_cta = directive.issuer == Issuer::Cta || directive.issuer == Issuer::MultiCta;
  if (directive.placement != Placement::TileFused || !whole_cta) return std::nullopt;
  for (const LinkedWork& work : tile_works(proposal.site))
    if (work.block_barriers == 0 && !work.has_body)
      return concat(in_backticks(work.name),
                    " has no block-wide barrier, so nothing shows that all threads of a CTA reach the",
                    " transfer, and one that does not hangs the others");
  return std::nullopt;
}

Objection no_room_for_several_ctas(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  const model::GpuProfile& gpu = proposal.profile.gpu;
  if (directive.issuer != Issuer::MultiCta || directive.placement == Placement::TileFused) return std::nullopt;
  uint64_t room = directive.placement == Placement::Specialised ? gpu.sm_count - 1 : resident_ctas_max(gpu, 1);
  if (room >= 2) return std::nullopt;
  return concat("multi-cta needs two communication CTAs at once, and ", proposal.profile.name, " with ",
                counted(gpu.sm_count, "SM"), " has room for ", room);
}

Objection chunk_covers_message(const Proposal& proposal) {
  const std::optional<uint64_t>& message = proposal.site.message_bytes;
  uint64_t chunk_bytes = proposal.directive.chunk_bytes;
  if (!message || chunk_bytes == kWholeMessage || chunk_bytes < *message) return std::nullopt;
  return concat("the message has ", bytes_text(*message), ", so a chunk of as much or more is written whole");
}

Objection program_cuts_already(const Proposal& proposal) {
  // A kernel sends its tiles however small the loop's steps are.
  if (proposal.directive.placement == Placement::TileFused) return std::nullopt;
  if (proposal.directive.chunk_bytes == kWholeMessage || proposal.site.loop_role != model::LoopRole::Chunks)
    return std::nullopt;
  return concat("the loop around ", proposal.site.name, " cuts the message already; its step is the chunk");
}

// One host call lays the ranks' blocks back to back, so a smaller one would lay them closer together.
bool lays_blocks_by_rank(Collective collective) {
  const model::CollectiveTraits& traits = model::traits_of(collective);
  return traits.sends_to_each || traits.receives_from_each;
}

Objection host_chunk_moves_blocks(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (is_device(directive.backend) || directive.chunk_bytes == kWholeMessage) return std::nullopt;
  if (!lays_blocks_by_rank(proposal.site.collective)) return std::nullopt;
  return concat(proposal.site.callee,
                " lays the ranks' blocks back to back, so smaller calls would put them elsewhere");
}

Objection chunk_signal_without_chunks(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (directive.sync != SyncScope::ChunkSignal || directive.chunk_bytes != kWholeMessage) return std::nullopt;
  return "one chunk per message needs one signal per peer, which is peer-signal";
}

Objection signals_exceed_pool(const Proposal& proposal) {
  const Directive& directive = proposal.directive;
  if (!uses_nic(directive.backend)) return std::nullopt;
  const model::Topology& topology = proposal.profile.topology;
  uint64_t signals = resources_of(proposal.site, directive, topology, 1).signals;
  if (signals <= kGinSignalPool) return std::nullopt;
  return concat("chunks of ", chunk_text(directive.chunk_bytes), " need ", signals, " signals in ",
                counted(phase_count(proposal.site), "phase"), ", and NCCL's pool has ", kGinSignalPool);
}

constexpr std::array kIssueRules = {
    Rule{"host-issuer", {Dimension::Backend, Dimension::Issuer}, host_call_has_no_issuer},
    Rule{"cta-convergence", {Dimension::Placement, Dimension::Issuer}, cta_may_have_diverged},
    Rule{"multi-cta-resident", {Dimension::Placement, Dimension::Issuer}, no_room_for_several_ctas},
    Rule{"chunk-below-message", {Dimension::Chunk}, chunk_covers_message},
    Rule{"chunk-loop", {Dimension::Placement, Dimension::Chunk}, program_cuts_already},
    Rule{"host-chunk-layout", {Dimension::Backend, Dimension::Chunk}, host_chunk_moves_blocks},
    Rule{"chunk-signal-chunks", {Dimension::Sync, Dimension::Chunk}, chunk_signal_without_chunks},
    Rule{"signal-pool", {Dimension::Backend, Dimension::Sync, Dimension::Chunk}, signals_exceed_pool},
};

}  // namespace

std::span<const Rule> issue_rules() { return kIssueRules; }

}  // namespace cuco::space
