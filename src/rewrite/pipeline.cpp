// The passes, in order. Each says why it stands where it does.
#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/passes/specialise.h"

namespace cuco::rewrite {

namespace {

using model::Index;

void check_directives(Work& work) {
  for (Index site : work.sites) {
    const space::Directive& directive = directive_of(work, site);
    const model::Operation& call = first_call(work, site);
    for (const std::string& blocker : work.request.graph.sites[site].blockers) work.obstacle(call.range, blocker);
    if (directive.backend == space::Backend::Multimem)
      work.obstacle(call.range, "no rule writes multimem code; choose lsa, gin or hybrid");
    if (std::string obstacle = specialised_obstacle(work, site); !obstacle.empty()) work.obstacle(call.range, obstacle);
    if ((is_chunked(work, site) || is_fused(work, site)) && directive.sync == space::SyncScope::Barrier)
      work.obstacle(call.range, concat("no rule cuts the messages of ", space::to_text(directive),
                                       ": parts are awaited one by one, and a barrier waits for all"));
    bool as_called = directive.placement == space::Placement::Deferred && directive.chunk_bytes == space::kWholeMessage;
    if (is_staged(work, site) && !as_called)
      work.obstacle(call.range, concat("no rule writes ", space::to_text(directive),
                                       " through staging memory: ", work.request.graph.sites[site].staging.front()));
    if (work.program().rank_model == model::RankModel::SingleProcess && !as_called)
      work.obstacle(call.range, concat("one host thread drives several GPUs, and no rule writes ",
                                       space::to_text(directive), " for that"));
    bool in_parts = directive.placement == space::Placement::Stream || is_fused(work, site);
    if (directive.chunk_bytes != space::kWholeMessage && !in_parts)
      work.obstacle(
          call.range,
          concat("no rule cuts the messages of ", space::to_text(directive),
                 ": parts leave beside the program's work, which is stream, or from inside it, which is tile-fused ",
                 "and specialised"));
  }
}

}  // namespace

void Work::obstacle(const model::SourceRange& range, const std::string& problem) {
  std::string line = concat(model::location_text(program(), range), ": error: ", problem);
  if (std::find(obstacles.begin(), obstacles.end(), line) == obstacles.end()) obstacles.push_back(std::move(line));
}

const model::Operation& first_call(const Work& work, Index site) {
  return work.program().operations[work.request.graph.sites[site].operations[0]];
}

const model::CommunicateDetail& detail_of(const Work& work, Index site) { return *first_call(work, site).communicate; }

bool is_call_of(const Work& work, Index site, Index operation) {
  const std::vector<Index>& own = work.request.graph.sites[site].operations;
  return std::find(own.begin(), own.end(), operation) != own.end();
}

const space::Directive& directive_of(const Work& work, Index site) {
  return *space::find_directive(work.request.plan, work.request.graph.sites[site].name);
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
  work.opens_when_made =
      std::all_of(work.sites.begin(), work.sites.end(), [&](Index site) { return is_staged(work, site); });
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
