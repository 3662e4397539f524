// A synthetic world for searches over plans: the time of a plan is a sum of cost terms of a hardware profile, not that
// of any program. It has what makes the real space hard: values that pay only together, a link that more CTAs fill and
// that they take SMs for, parts that cost launches, plans that deadlock and plans that no rewriter writes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.h"
#include "evaluate/verdict.h"
#include "evolve/evaluator.h"
#include "model/profile.h"
#include "space/facts.h"
#include "space/plan.h"
#include "store/records.h"

namespace cuco::testing {

class PlanLandscape {
 public:
  PlanLandscape(std::vector<space::SiteFacts> sites, model::HardwareProfile profile)
      : sites_(std::move(sites)), profile_(std::move(profile)) {}

  const std::vector<space::SiteFacts>& sites() const { return sites_; }
  const model::HardwareProfile& profile() const { return profile_; }

  // The plan itself is the program. A priority changes no text where nothing has a stream of its own.
  Result<std::vector<SourceFile>> write(const space::Plan& plan) const {
    for (const space::SiteChoice& choice : plan.choices)
      if (choice.directive.backend == space::Backend::Multimem ||
          choice.directive.placement == space::Placement::TileFused ||
          choice.directive.placement == space::Placement::Specialised)
        return Error{concat("no rule writes ", space::to_text(choice.directive))};
    return std::vector<SourceFile>{{"program.cu", concat("R\"(", space::to_text(plan), ")\"")}};
  }

  evaluate::Verdict verdict(const space::Plan& plan) const {
    evaluate::Verdict verdict;
    if (deadlocks(plan)) return rejected();
    evaluate::Timing timing;
    for (size_t site = 0; site < sites_.size(); ++site) add_site(plan, site, timing);
    const evaluate::CriticalPath& path = timing.path;
    timing.median_us = path.compute_us + path.exposed_communication_us + path.launch_us + path.wait_us;
    timing.bound_compute_us = compute_us() * static_cast<double>(sites_.size());
    verdict.reached = evaluate::Level::Timed;
    verdict.timing = timing;
    return verdict;
  }

  double time_us(const space::Plan& plan) const { return verdict(plan).timing->median_us; }

 private:
  static constexpr double kComputeShare = 1.5;  // Of the time that the host's call takes.
  static constexpr double kHostEfficiency = 0.8;

  static evaluate::Verdict rejected() {
    evaluate::Verdict verdict;
    verdict.reached = evaluate::Level::Built;
    evaluate::Finding finding;
    finding.level = evaluate::Level::Verified;
    finding.kind = "deadlock";
    finding.text = "rank 0 waits for a peer that waits for rank 0";
    verdict.findings.push_back(finding);
    return verdict;
  }

  // A barrier between an early put and a late wait is met in another order by every rank.
  static bool deadlocks(const space::Plan& plan) {
    return std::ranges::any_of(plan.choices, [](const space::SiteChoice& choice) {
      return choice.directive.placement == space::Placement::Split &&
             choice.directive.sync == space::SyncScope::Barrier && choice.directive.chunk_bytes != space::kWholeMessage;
    });
  }

  double message_bytes(size_t site) const { return static_cast<double>(sites_[site].message_bytes.value_or(1 << 20)); }

  double link_us(double bytes, bool inside) const {
    const std::optional<model::Link>& link = inside ? profile_.topology.inside : profile_.topology.between;
    if (!link) return link_us(bytes, !inside);
    return link->latency_us + bytes / (link->gb_per_s * 1e3);
  }

  double slow_link_us(size_t site) const { return link_us(message_bytes(site), !profile_.topology.between); }
  double compute_us() const { return kComputeShare * slow_link_us(0); }

  // One CTA fills an eighth of a link of loads and stores; a NIC needs no help.
  static double filled(const space::Directive& directive, const space::Schedule& schedule) {
    double ctas = directive.issuer == space::Issuer::MultiCta ? schedule.communication_ctas : 1;
    double issuers = directive.issuer == space::Issuer::Thread ? 0.1
                     : directive.issuer == space::Issuer::Warp ? 0.5
                                                               : ctas;
    return std::min(1.0, 0.125 + issuers / 8);
  }

  double communication_us(const space::Plan& plan, size_t site) const {
    const space::Directive& directive = plan.choices[site].directive;
    double bytes = message_bytes(site);
    double filling = filled(directive, plan.schedule);
    if (directive.backend == space::Backend::Host) return slow_link_us(site) / kHostEfficiency;
    if (directive.backend == space::Backend::Lsa) return link_us(bytes / filling, true);
    if (directive.backend == space::Backend::Gin) return link_us(bytes, !profile_.topology.between);
    return std::max(link_us(bytes / 2 / filling, true), link_us(bytes / 2, !profile_.topology.between));
  }

  double parts(const space::Directive& directive, size_t site) const {
    if (directive.chunk_bytes == space::kWholeMessage) return 1;
    return std::clamp(std::ceil(message_bytes(site) / static_cast<double>(directive.chunk_bytes)), 2.0, 8.0);
  }

  // Independent work hides a third of the compute's length; parts hide more of it, when each is awaited alone.
  double hidden_us(const space::Plan& plan, size_t site, double communication) const {
    const space::Directive& directive = plan.choices[site].directive;
    if (directive.placement == space::Placement::Deferred) return 0;
    double cover = sites_[site].overlap_count > 0 ? 0.33 : 0;
    if (plan.schedule.order == space::WorkOrder::RemoteFirst && cover > 0) cover += 0.1;
    double count = parts(directive, site);
    if (directive.sync != space::SyncScope::Barrier) cover += 0.6 * (count - 1) / count;
    if (plan.schedule.priority == space::StreamPriority::High) cover *= 1.03;
    return std::min(communication, cover * compute_us());
  }

  void add_site(const space::Plan& plan, size_t site, evaluate::Timing& timing) const {
    const space::Directive& directive = plan.choices[site].directive;
    bool beside = directive.placement != space::Placement::Deferred;
    double communication = communication_us(plan, site), count = parts(directive, site);
    double ctas = directive.issuer == space::Issuer::MultiCta ? plan.schedule.communication_ctas : 1;
    double taken = beside && directive.backend != space::Backend::Gin ? ctas / profile_.gpu.sm_count : 0;
    timing.path.compute_us += compute_us() * (1 + taken);
    timing.path.exposed_communication_us += communication - hidden_us(plan, site, communication);
    timing.path.launch_us += 2 * count + (directive.placement == space::Placement::Stream ? 3 : 0);
    timing.path.wait_us += directive.sync == space::SyncScope::Barrier ? 6 : 2;
  }

  std::vector<space::SiteFacts> sites_;
  model::HardwareProfile profile_;
};

class LandscapeEvaluator : public evolve::Evaluator {
 public:
  explicit LandscapeEvaluator(const PlanLandscape& landscape) : landscape_(landscape) {}

  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<evolve::Task>& tasks) override {
    std::vector<evaluate::Verdict> verdicts;
    for (const evolve::Task& task : tasks)
      verdicts.push_back(landscape_.verdict(space::parse_plan(task.candidate->plan, "plan").value()));
    return verdicts;
  }

 private:
  const PlanLandscape& landscape_;
};

}  // namespace cuco::testing
