#include "rewrite/text/comm_text.h"

#include <algorithm>
#include <map>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::rewrite {

namespace {

using space::Placement;

bool reduces(const Work& work, Index site) { return is_reduction(detail_of(work, site).collective); }

bool uses_network(const Work& work) {
  return std::ranges::any_of(work.sites,
                             [&](Index site) { return directive_of(work, site).backend != space::Backend::Lsa; });
}

template <typename Facts>
bool has_any(const Work& work, const std::map<Index, Facts>& facts, bool of_reductions) {
  return std::ranges::any_of(facts, [&](const auto& one) { return reduces(work, one.first) == of_reductions; });
}

bool any_in_flight(const Work& work) {
  if (work.request.stage == Stage::Windows) return false;
  return std::ranges::any_of(work.sites, [&](Index site) { return is_in_flight(work, site); });
}

// "s3" is 3.
std::string number_of(const std::string& site) { return site.substr(1); }

std::string lower_case(std::string text) {
  text[0] = static_cast<char>(text[0] | 0x20);
  return text;
}

// The program chooses the type of its elements when it runs.
bool has_any_type(const Work& work, Index site) {
  const std::vector<Index>& calls = work.site(site).operations;
  return std::ranges::any_of(calls, [&](Index call) { return work.operation(call).communicate->element_bytes == 0; });
}

// ".sum<float, double>()".
std::string reduction_text(Work& work, Index site) {
  if (!reduces(work, site)) return "";
  std::set<std::string> elements;
  for (const auto& [nccl_type, element] : element_types_of(work, site)) elements.insert(element);
  if (has_any_type(work, site)) return ".reduction<>()";
  return concat(".", lower_case(reduction_of(work, site)), "<",
                join(std::vector<std::string>(elements.begin(), elements.end()), ", "), ">()");
}

std::string issuer_text(const Work& work, Index site) {
  std::string issue = issue_of(work, site);
  return issue == "Block" || reduces(work, site) ? "" : concat(".by_", lower_case(issue), "()");
}

// "8, 256": zeros at the end are the library's own.
std::string parts_text(const SliceFacts& facts) {
  return concat(facts.slice_count, facts.cut.piece_bytes == 0 ? "" : concat(", ", facts.cut.piece_bytes));
}

// A reduction is cut as the call says, whether or not its launch is the traced one.
std::string fused_text(const Work& work, Index site, const FuseFacts& facts) {
  if (!reduces(work, site)) return concat(".fused(", parts_text(facts.slices), ")");
  return concat(".fused(", facts.slices.slice_count, ", ", facts.slices.cut.piece_bytes, ", ", facts.slices.unit_count,
                ", ", facts.message_bytes, ")");
}

std::string placement_text(const Work& work, Index site) {
  if (is_staged(work, site)) return ".staged()";
  if (auto fusion = work.found.fusions.find(site); fusion != work.found.fusions.end())
    return is_specialised(work, site) ? concat(".specialised(", parts_text(fusion->second.slices), ")")
                                      : fused_text(work, site, fusion->second);
  if (auto slices = work.found.slices.find(site); slices != work.found.slices.end())
    return concat(".in_parts(", parts_text(slices->second), ")");
  std::string course = course_of(work, site);
  return course.empty() && any_in_flight(work) ? ".tracked()" : course;
}

uint32_t slots_of(const Work& work) {
  if (!work.found.fusions.empty() || !work.found.senders.empty()) return 64;
  bool in_parts = !work.found.slices.empty() || !work.found.plain_slices.empty() || !work.found.chain.launches.empty();
  bool awaited_in_parts =
      std::ranges::any_of(work.sites, [&](Index site) { return waits_in_blocks(work) && is_chunked(work, site); });
  return in_parts || awaited_in_parts ? 32 : 0;
}

std::string overlap_text(const Work& work) {
  if (!any_in_flight(work)) return "";
  const space::Schedule& schedule = work.request.plan.schedule;
  bool has_streams = std::ranges::any_of(work.sites, [&](Index site) { return lane_of(work, site).has_value(); });
  std::string priority;
  if (schedule.priority != space::StreamPriority::Default)
    priority = concat(", cuco::comm::Priority::", schedule.priority == space::StreamPriority::High ? "High" : "Low");
  // Calls of one site take streams in turn, so there can be more streams than sites.
  return concat(".overlap(", has_streams ? std::max(1u, schedule.streams) : 0, priority, ")");
}

void drop_included(std::set<std::string>& headers) {
  static const std::map<std::string, std::set<std::string>> included = {
      {"overlap.cuh", {"collectives.cuh"}},
      {"staged.cuh", {"collectives.cuh"}},
      {"staged_reduce.cuh", {"staged.cuh", "collectives.cuh", "reduce.cuh"}},
      {"overlap_reduce.cuh", {"overlap.cuh", "collectives.cuh", "reduce.cuh"}},
      {"slices.cuh", {"collectives.cuh"}},
      {"parts.cuh", {"slices.cuh", "collectives.cuh"}},
      {"reduce_parts.cuh", {"parts.cuh", "slices.cuh", "collectives.cuh", "reduce.cuh"}},
      {"chain.cuh", {"overlap.cuh", "slices.cuh", "collectives.cuh"}},
      {"fused.cuh", {"collectives.cuh"}},
      {"specialised.cuh", {"fused.cuh", "collectives.cuh"}},
      {"fused_reduce.cuh", {"reduce.cuh"}},
      {"sending.cuh", {"overlap.cuh", "collectives.cuh"}},
      {"await_blocks.cuh", {"overlap.cuh", "collectives.cuh"}},
  };
  std::set<std::string> asked = headers;
  for (const std::string& header : asked)
    if (auto found = included.find(header); found != included.end())
      for (const std::string& one : found->second) headers.erase(one);
}

const std::map<std::string, std::string>& element_types() {
  static const std::map<std::string, std::string> types = {
      {"ncclInt8", "int8_t"},    {"ncclChar", "int8_t"},     {"ncclUint8", "uint8_t"},
      {"ncclInt32", "int32_t"},  {"ncclInt", "int32_t"},     {"ncclUint32", "uint32_t"},
      {"ncclInt64", "int64_t"},  {"ncclUint64", "uint64_t"}, {"ncclFloat16", "__half"},
      {"ncclHalf", "__half"},    {"ncclFloat32", "float"},   {"ncclFloat", "float"},
      {"ncclFloat64", "double"}, {"ncclDouble", "double"},   {"ncclBfloat16", "__nv_bfloat16"},
  };
  return types;
}

const std::map<std::string, std::string>& reductions() {
  static const std::map<std::string, std::string> names = {
      {"ncclSum", "Sum"}, {"ncclProd", "Product"}, {"ncclMin", "Min"}, {"ncclMax", "Max"}, {"ncclAvg", "Average"}};
  return names;
}

}  // namespace

std::string function_of(const std::string& callee) {
  if (callee == "ncclBcast") return "bcast";
  if (callee == "ncclRecv") return "receive";
  return std::string(model::name_of(model::collective_named(callee).value()));
}

std::string route_of(Work& work, Index site) {
  uint32_t blocks = blocks_of(work, site);
  return concat("cuco::comm::", lower_case(reach_of(work, site)), "<", number_of(shared_site(work, site)), ">",
                reduction_text(work, site), blocks > 1 ? concat(".blocks(", blocks, ")") : "", issuer_text(work, site),
                placement_text(work, site));
}

std::vector<std::string> paths_of(const Work& work) {
  std::set<std::string> paths;
  for (Index site : work.sites) paths.insert(concat("cuco::comm::", reach_of(work, site)));
  return {paths.begin(), paths.end()};
}

std::string open_text(const Work& work, const std::string& options) {
  return concat("cuco::comm::open_all<", join(paths_of(work), ", "), ">(", options, ");");
}

std::string options_of(const Work& work) {
  std::string text;
  if (uint32_t slots = slots_of(work); slots > 0) text += concat(".slots(", slots, ")");
  if (!work.found.fusions.empty() && uses_network(work)) text += ".strong_signals()";
  text += overlap_text(work);
  bool some_staged = std::ranges::any_of(work.sites, [&](Index site) { return is_staged(work, site); });
  if (some_staged) text += work.opens_when_made ? ".all_staged()" : ".some_staged()";
  if (!work.found.consumers.empty()) text += ".blocks_wait()";
  if (work.found.asks_for_less) text += ".exact_receives()";
  return text.empty() ? text : concat("cuco::comm::Options()", text);
}

std::set<std::string> headers_of(const Work& work) {
  std::set<std::string> headers;
  auto add = [&](bool needed, const char* header) {
    if (needed) headers.insert(header);
  };
  add(!work.found.plain_slices.empty(), "slices.cuh");
  add(work.found.turns_loops, "order.cuh");
  bool in_flight = any_in_flight(work);
  for (Index site : work.sites) {
    if (work.request.stage == Stage::Windows) continue;
    bool reduction = reduces(work, site);
    add(!reduction || detail_of(work, site).group != model::kNone, "collectives.cuh");
    add(reduction, "reduce.cuh");
    add(in_flight, reduction ? "overlap_reduce.cuh" : "overlap.cuh");
    add(is_staged(work, site), reduction ? "staged_reduce.cuh" : "staged.cuh");
    add(is_specialised(work, site) && work.found.fusions.contains(site), "specialised.cuh");
  }
  add(has_any(work, work.found.slices, false), "parts.cuh");
  add(has_any(work, work.found.slices, true), "reduce_parts.cuh");
  add(has_any(work, work.found.fusions, false), "fused.cuh");
  add(has_any(work, work.found.fusions, true), "fused_reduce.cuh");
  add(!work.found.chain.launches.empty(), "chain.cuh");
  add(!work.found.senders.empty(), "sending.cuh");
  add(!work.found.consumers.empty(), "await_blocks.cuh");
  drop_included(headers);
  // Those of calls include it.
  add(headers.empty(), "set_up.cuh");
  return headers;
}

std::map<std::string, std::string> element_types_of(Work& work, Index site) {
  std::map<std::string, std::string> types;
  for (Index index : work.site(site).operations) {
    const Operation& call = work.operation(index);
    if (call.communicate->element_bytes == 0) continue;
    auto type = element_types().find(call.communicate->type);
    if (type == element_types().end())
      work.obstacle(call.range, "no rule reduces elements of type ", call.communicate->type);
    else
      types.insert(*type);
  }
  return types;
}

std::string reduction_of(const Work& work, Index site) {
  std::set<std::string> names;
  for (Index call : work.site(site).operations) {
    auto found = reductions().find(work.operation(call).communicate->reduction);
    names.insert(found == reductions().end() ? "Reduction" : found->second);
  }
  return names.size() == 1 ? *names.begin() : "Reduction";
}

std::string traced_type_of(const Work& work, Index site, uint32_t element_bytes) {
  std::string found;
  for (Index index : work.site(site).operations) {
    const model::CommunicateDetail& call = *work.operation(index).communicate;
    if (call.element_bytes != element_bytes || call.type == found) continue;
    if (!found.empty()) return {};
    found = call.type;
  }
  return found;
}

}  // namespace cuco::rewrite
