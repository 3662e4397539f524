// The passes, in order. Each says why it stands where it does.
#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

namespace {

// What no rule writes, whatever the program; each goes on with the reason.
std::vector<std::string> unwritten_reasons(const Work& work, Index site) {
  const space::Directive& directive = directive_of(work, site);
  std::string text = space::to_text(directive);
  bool is_whole = directive.chunk_bytes == space::kWholeMessage;
  bool as_called = directive.placement == space::Placement::Deferred && is_whole;
  bool in_parts = directive.placement == space::Placement::Stream || is_fused(work, site);
  std::vector<std::string> reasons;
  if (directive.backend == space::Backend::Multimem)
    reasons.emplace_back("no rule writes multimem code; choose lsa, gin or hybrid");
  if (std::string obstacle = fused_obstacle(work, site); !obstacle.empty()) reasons.push_back(obstacle);
  if ((is_chunked(work, site) || is_fused(work, site)) && directive.sync == space::SyncScope::Barrier)
    reasons.push_back(
        concat("no rule cuts the messages of ", text, ": parts are awaited one by one, and a barrier waits for all"));
  if (is_staged(work, site) && !as_called)
    reasons.push_back(concat("no rule writes ", text, " through staging memory: ", work.site(site).staging.front()));
  if (work.program().rank_model == model::RankModel::SingleProcess && !as_called)
    reasons.push_back(concat("one host thread drives several GPUs, and no rule writes ", text, " for that"));
  if (!is_whole && !in_parts)
    reasons.push_back(concat("no rule cuts the messages of ", text,
                             ": parts leave beside the program's work, which is stream, or from inside it, which is ",
                             "tile-fused and specialised"));
  return reasons;
}

void check_directives(Work& work) {
  for (Index site : work.sites) {
    for (const std::string& blocker : work.site(site).blockers) work.obstacle(first_call(work, site).range, blocker);
    for (const std::string& reason : unwritten_reasons(work, site)) work.obstacle(first_call(work, site).range, reason);
  }
}

}  // namespace

void Work::add_obstacle(std::string line) {
  if (std::ranges::find(obstacles, line) == obstacles.end()) obstacles.push_back(std::move(line));
}

const Operation& first_call(const Work& work, Index site) { return work.operation(work.site(site).operations[0]); }

const model::CommunicateDetail& detail_of(const Work& work, Index site) { return *first_call(work, site).communicate; }

bool is_call_of(const Work& work, Index site, Index operation) {
  const std::vector<Index>& own = work.site(site).operations;
  return std::ranges::find(own, operation) != own.end();
}

const space::Directive& directive_of(const Work& work, Index site) {
  return *space::find_directive(work.request.plan, work.site(site).name);
}

uint32_t blocks_of(const Work& work, Index site) {
  return directive_of(work, site).issuer == space::Issuer::MultiCta ? work.request.plan.schedule.communication_ctas : 1;
}

std::vector<Index> device_sites(const Request& request) {
  std::vector<Index> sites;
  for (Index site = 0; site < request.graph.sites.size(); ++site) {
    const space::Directive* directive = space::find_directive(request.plan, request.graph.sites[site].name);
    if (directive && directive->backend != space::Backend::Host) sites.push_back(site);
  }
  return sites;
}

Result<std::vector<Source>> marked(const Request& request) {
  Findings none;
  Work work{request, {}, none};
  mark_evolvable(work);
  return work.edits.apply(request.sources);
}

Result<Rewritten> rewrite(const Request& request) {
  Findings found;
  Work work{request, device_sites(request), found};
  if (work.sites.empty()) return Error{"the plan leaves every site on the host; there is nothing to rewrite"};
  // What no pass can do is found before any of them adds an edit.
  check_directives(work);
  check_courses(work);
  check_ends(work);
  if (request.stage == Stage::Whole) {
    // First, because messages in flight are cut as the launches around them are.
    found.chain = cut_chain(work);
    found.slices = find_slices(work);
    found.fusions = find_fusions(work);
    found.senders = find_senders(work);
    // After these, which say what is in flight and which kernels are changed anyway.
    found.consumers = find_consumers(work);
  }
  work.opens_when_made = std::ranges::all_of(work.sites, [&](Index site) { return is_staged(work, site); });
  allocate_windows(work);
  if (request.stage == Stage::Whole) {
    replace_calls(work);
    // Before a receive's statement, whose call is replaced above.
    found.asks_for_less = receive_exactly(work);
    // Headers of loops only: the calls in them are edited apart.
    found.turns_loops = order_loops(work);
    // Around the program's own work; calls that were replaced look after themselves.
    order_uses(work);
    // After that, so that what waits for a launch stands before and behind all of its slices.
    cut_grids(work);
    // Likewise: a launch that is held back is one statement.
    fuse_kernels(work);
    fuse_senders(work);
  } else if (request.compute_slices > 1) {
    found.plain_slices = slice_compute(work);
  }
  // After the others, which say what set-up has to provide.
  open_communicators(work);
  // Markers before the includes of the library: both insert after those of the program.
  mark_evolvable(work);
  // Last, because it goes into every file that the others have touched.
  insert_includes(work);
  if (!work.obstacles.empty()) return Error{join(work.obstacles, "\n")};
  Result<std::vector<Source>> sources = work.edits.apply(request.sources);
  if (!sources) return sources.error();
  std::map<std::string, std::string> kernels;
  for (Index site : work.sites) kernels[request.graph.sites[site].name] = kernel_name(work, site);
  sources->insert(sources->end(), work.added.begin(), work.added.end());
  return Rewritten{std::move(*sources), std::move(kernels), std::move(work.notes)};
}

}  // namespace cuco::rewrite
