#include "space/plan_legality.h"

#include <algorithm>

#include "base/text.h"
#include "space/resources.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

uint32_t count_choices(const Plan& plan, bool (*wanted)(const Directive&)) {
  return static_cast<uint32_t>(std::ranges::count_if(plan.choices, wanted, &SiteChoice::directive));
}

bool has_own_stream(const Directive& directive) { return directive.placement == Placement::Stream; }
// A split exchange may begin on a stream of its own, and need not.
bool may_have_own_stream(const Directive& directive) {
  return has_own_stream(directive) || (is_device(directive.backend) && directive.placement == Placement::Split);
}
// Its messages come while the program's work goes on, and each can be awaited alone.
bool comes_message_by_message(const Directive& directive) {
  bool alone = directive.sync == SyncScope::PeerSignal || directive.sync == SyncScope::ChunkSignal ||
               directive.sync == SyncScope::Flag;
  bool in_flight = may_have_own_stream(directive) || directive.placement == Placement::TileFused;
  return alone && in_flight && is_device(directive.backend);
}
bool has_several_ctas(const Directive& directive) {
  return directive.issuer == Issuer::MultiCta && directive.placement != Placement::TileFused;
}
bool is_several_in_kernel(const Directive& directive) {
  return directive.placement == Placement::Specialised && has_several_ctas(directive);
}

bool has_independent_work(const std::vector<SiteFacts>& sites) {
  return std::ranges::any_of(sites, [](const SiteFacts& site) { return site.overlap_count > 0; });
}

// Communication CTAs spin, so all must be resident, and in a specialised kernel beside at least one that computes.
uint64_t communication_ctas_max(const Plan& plan, const model::GpuProfile& gpu) {
  if (count_choices(plan, is_several_in_kernel) > 0) return gpu.sm_count - 1;
  return resident_ctas_max(gpu, 1);
}

Objection sites_do_not_match(const PlanProposal& proposal) {
  for (const SiteFacts& site : proposal.sites)
    if (find_directive(proposal.plan, site.name) == nullptr) return concat("site ", site.name, " has no directive");
  std::vector<std::string> names;
  for (const SiteFacts& site : proposal.sites) names.push_back(site.name);
  for (const SiteChoice& choice : proposal.plan.choices)
    if (std::ranges::find(names, choice.site) == names.end())
      return concat("the program has no site ", in_backticks(choice.site), "; it has ", join(names, ", "));
  return std::nullopt;
}

Objection ends_disagree(const PlanProposal& proposal) {
  for (const SiteFacts& a : proposal.sites) {
    for (const SiteFacts& b : proposal.sites) {
      const Directive* first = find_directive(proposal.plan, a.name);
      const Directive* second = find_directive(proposal.plan, b.name);
      if (a.exchange != b.exchange || first == nullptr || second == nullptr || agree(*first, *second)) continue;
      return concat(a.name, " and ", b.name,
                    " are ends of one exchange and must have backend, sync and chunk in common, ", "not ",
                    to_text(*first), " and ", to_text(*second));
    }
  }
  return std::nullopt;
}

// Barriers through the NIC included, each of which is a signal.
uint64_t signals_needed(const PlanProposal& proposal) {
  uint64_t signals = 0;
  for (const SiteFacts& site : proposal.sites) {
    const Directive* directive = find_directive(proposal.plan, site.name);
    if (directive == nullptr) continue;
    Resources needed =
        resources_of(site, *directive, proposal.profile.topology, proposal.plan.schedule.communication_ctas);
    signals += needed.signals + needed.gin_barriers;
  }
  return signals;
}

Objection signals_exceed_pool(const PlanProposal& proposal) {
  uint64_t signals = signals_needed(proposal);
  if (signals <= kGinSignalPool) return std::nullopt;
  return concat("the sites need ", signals, " signals together, barriers included, and NCCL's pool has ",
                kGinSignalPool);
}

Objection ctas_exceed_residency(const PlanProposal& proposal) {
  uint64_t wanted = proposal.plan.schedule.communication_ctas;
  uint64_t most = communication_ctas_max(proposal.plan, proposal.profile.gpu);
  if (wanted <= most) return std::nullopt;
  return concat(wanted, " communication CTAs spin at once, and the ", proposal.profile.gpu.sm_count, " SMs of ",
                proposal.profile.name, " have room for ", most, " beside the work");
}

Objection ctas_without_site(const PlanProposal& proposal) {
  uint32_t ctas = proposal.plan.schedule.communication_ctas;
  bool several = count_choices(proposal.plan, has_several_ctas) > 0;
  if (several == (ctas > 1)) return std::nullopt;
  if (several) return "a site has multi-cta issue, and one communication CTA is what cta means";
  return concat(ctas, " communication CTAs are stated, and no site has multi-cta issue outside a compute kernel");
}

Objection streams_do_not_match(const PlanProposal& proposal) {
  uint32_t streams = proposal.plan.schedule.streams;
  uint32_t needing = count_choices(proposal.plan, has_own_stream);
  uint32_t users = count_choices(proposal.plan, may_have_own_stream);
  if (needing > 0 && streams == 0)
    return concat(counted(needing, "site"), " with placement stream and no stream for it");
  if (streams <= users) return std::nullopt;
  return concat(counted(streams, "communication stream"), " for ", counted(users, "site"),
                " with placement stream or split");
}

Objection priority_without_stream(const PlanProposal& proposal) {
  const Schedule& schedule = proposal.plan.schedule;
  if (schedule.priority == StreamPriority::Default || schedule.streams > 0) return std::nullopt;
  return "a priority is stated, and no communication stream to have it";
}

Objection order_without_choice(const PlanProposal& proposal) {
  if (proposal.plan.schedule.order == WorkOrder::AsWritten || has_independent_work(proposal.sites)) return std::nullopt;
  return "no work of one iteration is independent of a site, so there is one order, as-written";
}

bool has_reader(const SiteFacts& site) {
  return std::ranges::any_of(site.consumers, [](const LinkedWork& work) { return work.has_body; });
}

Objection blocks_have_nothing_to_wait_for(const PlanProposal& proposal) {
  if (proposal.plan.schedule.waits == Waits::Stream) return std::nullopt;
  if (count_choices(proposal.plan, comes_message_by_message) == 0)
    return "blocks wait for single messages, and no site has placement stream, split or tile-fused with a sync by "
           "message";
  if (std::ranges::none_of(proposal.sites, has_reader)) return "no kernel of the program reads what a site receives";
  return std::nullopt;
}

}  // namespace

const std::vector<PlanRule>& plan_rules() {
  static const std::vector<PlanRule> rules = {
      {"plan-sites", sites_do_not_match},
      {"plan-exchange", ends_disagree},
      {"plan-signal-pool", signals_exceed_pool},
      {"plan-ctas-resident", ctas_exceed_residency},
      {"plan-ctas-used", ctas_without_site},
      {"plan-streams", streams_do_not_match},
      {"plan-priority", priority_without_stream},
      {"plan-order", order_without_choice},
      {"plan-waits", blocks_have_nothing_to_wait_for},
  };
  return rules;
}

std::vector<Violation> check(const std::vector<SiteFacts>& sites, const Plan& plan,
                             const model::HardwareProfile& profile) {
  std::vector<Violation> violations;
  for (const SiteFacts& site : sites) {
    const Directive* directive = find_directive(plan, site.name);
    if (directive == nullptr) continue;
    for (Violation& violation : check(site, *directive, profile))
      violations.push_back({violation.rule, concat(site.name, ": ", violation.reason)});
  }
  for (const PlanRule& rule : plan_rules())
    if (Objection reason = rule.objection({sites, plan, profile})) violations.push_back({rule.id, *std::move(reason)});
  return violations;
}

bool fits_signal_pool(const PlanProposal& proposal) { return signals_needed(proposal) <= kGinSignalPool; }

bool agree(const Directive& a, const Directive& b) {
  return a.backend == b.backend && a.sync == b.sync && a.chunk_bytes == b.chunk_bytes;
}

Schedule fitted_schedule(const std::vector<SiteFacts>& sites, const Plan& plan, const model::HardwareProfile& profile) {
  Schedule schedule = plan.schedule;
  uint32_t least = count_choices(plan, has_own_stream) > 0 ? 1 : 0;
  schedule.streams = std::clamp(schedule.streams, least, count_choices(plan, may_have_own_stream));
  if (schedule.streams == 0) schedule.priority = StreamPriority::Default;
  if (!has_independent_work(sites)) schedule.order = WorkOrder::AsWritten;
  schedule.waits = Waits::Stream;
  if (plan.schedule.waits == Waits::Blocks && !blocks_have_nothing_to_wait_for({sites, plan, profile}))
    schedule.waits = Waits::Blocks;
  uint64_t ctas =
      std::min<uint64_t>(std::max(schedule.communication_ctas, 2u), communication_ctas_max(plan, profile.gpu));
  schedule.communication_ctas = count_choices(plan, has_several_ctas) > 0 ? static_cast<uint32_t>(ctas) : 1;
  return schedule;
}

}  // namespace cuco::space
