#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"

namespace cuco::rewrite {

namespace {

using space::Placement;
using space::SyncScope;

bool is_awaited_one_by_one(const space::Directive& directive) {
  return directive.sync == SyncScope::PeerSignal || directive.sync == SyncScope::ChunkSignal ||
         directive.sync == SyncScope::Flag;
}

bool has_lane(const Work& work, Index site) {
  if (!is_in_flight(work, site)) return false;
  Placement placement = directive_of(work, site).placement;
  return placement == Placement::Stream || (placement == Placement::Split && work.request.plan.schedule.streams > 0);
}

void check_reduction(Work& work, Index site) {
  const Operation& call = first_call(work, site);
  if (is_reduction(call.communicate->collective) && directive_of(work, site).placement == Placement::Split)
    work.obstacle(call.range, "no rule splits ", call.callee,
                  ": its second half computes; with stream it runs beside other work");
}

void check_group(Work& work, Index site) {
  Index group = first_call(work, site).communicate->group;
  for (Index other : work.sites) {
    if (group == model::kNone || first_call(work, other).communicate->group != group) continue;
    if (course_of(work, site) == course_of(work, other)) continue;
    work.obstacle(first_call(work, other).range, work.site(site).name, " and ", work.site(other).name,
                  " are calls of one group, which runs as one exchange and needs one placement and sync");
  }
}

}  // namespace

bool is_pairwise(const Work& work, Index site) {
  Collective collective = first_call(work, site).communicate->collective;
  return collective == Collective::Send || collective == Collective::Recv;
}

bool is_chunked(const Work& work, Index site) {
  Collective collective = first_call(work, site).communicate->collective;
  bool awaited_in_parts = waits_in_blocks(work) && !is_reduction(collective);
  return (is_pairwise(work, site) || awaited_in_parts) &&
         directive_of(work, site).chunk_bytes != space::kWholeMessage && !is_fused(work, site);
}

// Collectives in parts are complete where they are called: what overlaps them stands before the call.
bool is_in_flight(const Work& work, Index site) {
  const space::Directive& directive = directive_of(work, site);
  if (directive.placement == Placement::Deferred) return false;
  // What kernels send is complete with them; what comes may be left to those that read it.
  if (is_fused(work, site)) return is_pairwise(work, site) && waits_in_blocks(work);
  return directive.chunk_bytes == space::kWholeMessage || is_chunked(work, site);
}

std::optional<uint32_t> lane_of(const Work& work, Index site) {
  if (!has_lane(work, site)) return std::nullopt;
  std::vector<std::string> kernels;  // Of a group there is one.
  for (Index other : work.sites) {
    std::string kernel = kernel_name(work, other);
    if (has_lane(work, other) && std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
  }
  auto own = std::ranges::find(kernels, kernel_name(work, site));
  return static_cast<uint32_t>(own - kernels.begin()) % std::max(1u, work.request.plan.schedule.streams);
}

bool is_by_message(const Work& work, Index site) {
  if (is_fused(work, site)) return is_pairwise(work, site);
  return is_in_flight(work, site) && is_awaited_one_by_one(directive_of(work, site));
}

std::string course_of(const Work& work, Index site) {
  const space::Directive& directive = directive_of(work, site);
  if (is_fused(work, site) && is_pairwise(work, site))
    return concat(".sent_by_writers(", directive.chunk_bytes, ")",
                  is_in_flight(work, site) ? ".awaited_by_readers()" : "");
  if (is_specialised(work, site)) return ".specialised()";
  if (!is_in_flight(work, site)) return {};
  std::optional<uint32_t> lane = lane_of(work, site);
  std::string text =
      concat(directive.placement == Placement::Stream ? ".on_stream(" : ".split(", lane ? std::to_string(*lane) : "",
             ")", is_awaited_one_by_one(directive) ? ".by_message()" : "");
  if (!is_chunked(work, site)) return text;
  // Slices that write a message are small at both ends.
  const char* cut = work.found.chain.launches.empty() ? "" : ", cuco::comm::Cut::SmallAtEnds";
  return concat(text, ".in_chunks(", directive.chunk_bytes, cut, ")");
}

void check_courses(Work& work) {
  for (Index site : work.sites) {
    check_reduction(work, site);
    check_group(work, site);
  }
}

}  // namespace cuco::rewrite
