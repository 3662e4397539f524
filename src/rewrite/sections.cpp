#include "rewrite/sections.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "rewrite/section_texts.h"

namespace cuco::rewrite {

namespace {

using model::Collective;
using space::Backend;

constexpr const char* kBegin = "\nnamespace device_comm {\n";
constexpr const char* kEnd = "\n}  // namespace device_comm\n";
constexpr const char* kPartsDeclared = "\nstruct Pending;\ninline ncclResult_t submit_parts(Pending& call);\n";
constexpr const char* kChunked =
    "  if (way.course.chunk_bytes > 0) return add_parts(way.course, message, count, all);\n";
constexpr const char* kRelayed =
    "    if (goes_through_nodes(call, channel)) return gather_through_nodes(call, channel, from, (char*)to, bytes);\n";
constexpr const char* kPartsCalled = "  if (call.way.parts.count > 1) return submit_parts(call);\n";

bool uses_network(const SectionNeeds& needs) {
  return needs.backends.contains(Backend::Gin) || needs.backends.contains(Backend::Hybrid);
}

bool has_moves(const SectionNeeds& needs) {
  return std::any_of(needs.calls.begin(), needs.calls.end(),
                     [](const auto& call) { return !is_reduction(call.second); });
}

// Whether an all-gather in parts may cross the network once for a node instead of once for a rank.
bool has_relays(const SectionNeeds& needs) {
  return needs.in_parts && needs.backends.contains(Backend::Hybrid) && needs.calls.contains("ncclAllGather");
}

bool has_reductions(const SectionNeeds& needs) {
  return std::any_of(needs.calls.begin(), needs.calls.end(),
                     [](const auto& call) { return is_reduction(call.second); });
}

// The text of one function in a file whose functions are led by "// PART name" lines.
std::string part_of(const std::string& text, const std::string& name) {
  std::string mark = concat("// PART ", name, "\n");
  size_t begin = text.find(mark);
  CUCO_ASSERT(begin != text.npos);
  begin += mark.size();
  size_t end = text.find("// PART ", begin);
  return concat("\n", trim(text.substr(begin, end == text.npos ? end : end - begin)), "\n");
}

std::string calls(const SectionNeeds& needs, bool reductions) {
  std::string text;
  for (const auto& [callee, collective] : needs.calls)
    if (is_reduction(collective) == reductions)
      text += part_of(reductions ? texts::kReduceCalls : texts::kCollectives, function_of(callee));
  return text;
}

std::string requirements(const SectionNeeds& needs) {
  if (!uses_network(needs)) return {};
  return "  connect_all(needs);\n"
         "  needs.ginContextCount = 1;\n"
         "  needs.ginSignalCount = 2 * kSlots * channel.ranks;\n";
}

// How calls reach the GPU: at once, or beside the program's work.
std::string submissions(const SectionNeeds& needs) {
  std::string text;
  if (has_moves(needs) || needs.groups)
    text += needs.in_flight ? texts::kMoveFlights : part_of(texts::kDirect, "moves");
  if (has_reductions(needs)) text += needs.in_flight ? texts::kReduceFlights : part_of(texts::kDirect, "reductions");
  if (has_moves(needs) && needs.in_parts) text += concat(texts::kParts, texts::kPacked, texts::kSubmitParts);
  return text;
}

std::string priority_text(space::StreamPriority priority) {
  if (priority == space::StreamPriority::Default) return "0";
  return priority == space::StreamPriority::High ? "greatest" : "least";
}

std::string slices(const SectionNeeds& needs) {
  if (!needs.in_parts && !needs.chunked) return "";
  return concat(texts::kSlices, needs.in_parts ? kPartsDeclared : "");
}

std::string with_hooks(std::string text, const SectionNeeds& needs) {
  bool has_slices = needs.in_parts || needs.chunked;
  const char* opened = needs.in_flight ? "  if (result == ncclSuccess) result = open_lanes(comm);\n" : "";
  text = replace_all(std::move(text), "  CUCO_OPENED;\n", opened);
  text = replace_all(std::move(text), "  CUCO_WANTED;\n", needs.exact ? "  bytes = wanted_of(to, bytes);\n" : "");
  text = replace_all(std::move(text), "CUCO_EXACT", needs.exact ? "true" : "false");
  text =
      replace_all(std::move(text), "  CUCO_CLOSING;\n",
                  concat(needs.in_flight ? "  close_lanes(comm);\n" : "", has_slices ? "  close_slices(comm);\n" : ""));
  text = replace_all(std::move(text), "  CUCO_IN_PARTS;\n", needs.in_parts ? kPartsCalled : "");
  text = replace_all(std::move(text), "    CUCO_RELAYED;\n", has_relays(needs) ? kRelayed : "");
  // Of a message in parts each part has a slot.
  text = replace_all(std::move(text), "CUCO_SLOTS", has_slices ? "32" : "8");
  text = replace_all(std::move(text), "  CUCO_CHUNKED;\n", needs.chunked ? kChunked : "");
  text = replace_all(std::move(text), "  CUCO_LAND;\n", needs.in_flight ? "  land(slices.parts);\n" : "");
  text = replace_all(std::move(text), "  CUCO_PASSED;\n", needs.in_flight ? "  passed();\n" : "");
  text = replace_all(std::move(text), "CUCO_LANES", std::to_string(needs.lanes));
  return replace_all(std::move(text), "CUCO_PRIORITY", priority_text(needs.priority));
}

std::string with_streams_beside(std::string text, const SectionNeeds& needs) {
  auto hook = [&](const char* mark, const char* code) {
    text = replace_all(std::move(text), mark, needs.beside || needs.chunked ? code : "");
  };
  hook("  CUCO_AFTER_WORKS;\n", "  wait_for_works(stream, uses);\n");
  hook("    CUCO_AFTER_BESIDE;\n", "    wait_for_streams_beside(floor.first);\n");
  hook("  CUCO_PASSED_BESIDE;\n", "  passed();\n");
  hook("    CUCO_JOIN_BESIDE;\n",
       "    for (const auto& floor : lanes().floors) wait_for_streams_beside(floor.first);\n");
  hook("  CUCO_LAND_BESIDE;\n", "  wait_for_streams_beside(stream);\n");
  hook("  CUCO_CLOSE_BESIDE;\n", "  close_streams_beside();\n");
  hook("CUCO_BESIDE_DECLARED;\n",
       "void wait_for_works(cudaStream_t stream, const std::vector<Use>& uses);\n"
       "void wait_for_streams_beside(cudaStream_t stream);\n"
       "void close_streams_beside();\n");
  text = replace_all(std::move(text), "CUCO_SLICES_DECLARED;\n", needs.chunked ? "void launch_slices();\n" : "");
  return replace_all(std::move(text), "  CUCO_LAUNCH_SLICES;\n", needs.chunked ? "  launch_slices();\n" : "");
}

// With no call to make, nothing is worth warming up, and the code that could is not there.
std::string with_warm_up(std::string text, const SectionNeeds& needs) {
  bool wanted = !needs.calls.empty();
  text = replace_all(std::move(text), "CUCO_WARM_UP_DECLARED;\n",
                     wanted ? "inline ncclResult_t warm_up(ncclComm_t comm);\n" : "");
  return replace_all(std::move(text), "    CUCO_WARM_UP;\n",
                     wanted ? "    if (result == ncclSuccess) result = warm_up(one.comm);\n" : "");
}

std::string greetings(const SectionNeeds& needs) {
  std::string text;
  for (auto [backend, path] : {std::pair(Backend::Lsa, "Lsa"), {Backend::Gin, "Gin"}, {Backend::Hybrid, "Hybrid"}})
    if (needs.backends.contains(backend))
      text += concat("  if (result == cudaSuccess) result = greet_all(channel_of(comm), Reach::", path, ", greet<",
                     path, ">);\n");
  return text;
}

}  // namespace

bool is_reduction(Collective collective) {
  return collective == Collective::AllReduce || collective == Collective::ReduceScatter ||
         collective == Collective::Reduce;
}

std::string function_of(const std::string& callee) {
  static const std::map<std::string, std::string> functions = {{"ncclAllGather", "all_gather"},
                                                               {"ncclAllReduce", "all_reduce"},
                                                               {"ncclReduceScatter", "reduce_scatter"},
                                                               {"ncclBroadcast", "broadcast"},
                                                               {"ncclBcast", "bcast"},
                                                               {"ncclReduce", "reduce"},
                                                               {"ncclAlltoAll", "all_to_all"},
                                                               {"ncclGather", "gather"},
                                                               {"ncclScatter", "scatter"},
                                                               {"ncclSend", "send"},
                                                               {"ncclRecv", "receive"}};
  auto found = functions.find(callee);
  CUCO_ASSERT(found != functions.end());
  return found->second;
}

std::string set_up_section(const SectionNeeds& needs) {
  bool moves = has_moves(needs) || needs.groups;
  std::string text = concat(texts::kTypes, needs.in_flight ? texts::kLanes : "", slices(needs), texts::kWindows);
  if (!needs.calls.empty()) text += texts::kPieces;
  if (needs.order) text += texts::kOrder;
  if (needs.in_flight) text += texts::kFlights;
  if (needs.beside || needs.chunked) text += texts::kBeside;
  if (needs.chunked) text += concat(texts::kTracedSlices, texts::kChunks);
  if (needs.exact) text += texts::kExact;
  if (moves) text += texts::kMessages;
  if (has_relays(needs)) text += texts::kRelays;
  if (has_reductions(needs)) text += texts::kReductions;
  text += concat(submissions(needs), calls(needs, false), calls(needs, true));
  text = with_streams_beside(with_hooks(std::move(text), needs), needs);
  text = replace_all(std::move(text), "CUCO_BLOCKS", std::to_string(needs.blocks_max));
  text = replace_all(std::move(text), "  CUCO_REQUIREMENTS;\n", requirements(needs));
  return with_warm_up(std::move(text), needs) + kEnd;
}

std::string device_section(const SectionNeeds& needs) {
  std::string text = concat(kBegin, texts::kPlaces);
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kLsa;
  if (uses_network(needs)) text += texts::kGin;
  if (hybrid) text += texts::kHybrid;
  text += texts::kExchange;
  if (has_reductions(needs)) text += texts::kReduce;
  text += replace_all(texts::kWarmUp, "  CUCO_GREETINGS;\n", greetings(needs));
  return text + kEnd;
}

}  // namespace cuco::rewrite
