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
constexpr const char* kPartsCalled = "  if (call.way.parts.count > 1) return submit_parts(call);\n";

bool uses_network(const SectionNeeds& needs) {
  return needs.backends.contains(Backend::Gin) || needs.backends.contains(Backend::Hybrid);
}

bool has_moves(const SectionNeeds& needs) {
  return std::any_of(needs.calls.begin(), needs.calls.end(),
                     [](const auto& call) { return !is_reduction(call.second); });
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

// How rows travel on the paths of the plan.
std::string row_section(const SectionNeeds& needs) {
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  std::string paths = part_of(texts::kRowPaths, "copy");
  if (hybrid || needs.backends.contains(Backend::Lsa)) paths += part_of(texts::kRowPaths, "lsa");
  if (uses_network(needs)) paths += part_of(texts::kRowPaths, "gin");
  if (hybrid) paths += part_of(texts::kRowPaths, "hybrid");
  return replace_all(texts::kRows, "CUCO_PATHS\n", paths + "\n");
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
  std::string text = concat(texts::kTypes, needs.in_parts ? texts::kSlices : "", texts::kWindows);
  if (has_moves(needs)) text += concat(texts::kMessages, calls(needs, false));
  if (has_moves(needs) && needs.in_parts) text += texts::kParts;
  if (has_reductions(needs)) text += concat(texts::kReductions, calls(needs, true));
  text = replace_all(std::move(text), "CUCO_BLOCKS", std::to_string(needs.blocks_max));
  text = replace_all(std::move(text), "  CUCO_REQUIREMENTS;\n", requirements(needs));
  text = replace_all(std::move(text), "  CUCO_CLOSING;\n", needs.in_parts ? "  close_slices();\n" : "");
  text = replace_all(std::move(text), "  CUCO_IN_PARTS;\n", needs.in_parts ? kPartsCalled : "");
  return text + kEnd;
}

std::string device_section(const SectionNeeds& needs) {
  std::string text = concat(kBegin, texts::kPlaces);
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kLsa;
  if (uses_network(needs)) text += texts::kGin;
  if (hybrid) text += texts::kHybrid;
  if (has_moves(needs)) text += texts::kExchange;
  if (has_moves(needs) && needs.in_parts) text += row_section(needs);
  if (has_reductions(needs)) text += texts::kReduce;
  return text + kEnd;
}

}  // namespace cuco::rewrite
