#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/pass.h"
#include "rewrite/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::SourceRange;

uint32_t line_begin(const std::string& text, uint32_t at) {
  size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : static_cast<uint32_t>(newline + 1);
}

uint32_t line_end(const std::string& text, uint32_t at) {
  size_t newline = text.find('\n', at);
  return static_cast<uint32_t>(newline == std::string::npos ? text.size() : newline + 1);
}

void mark(Work& work, const SourceRange& range) {
  const std::string& text = work.text_of(range);
  std::string indent = indentation(text, range.begin_byte);
  work.edits.insert(range.file, line_begin(text, range.begin_byte), concat(indent, "// EVOLVE-BLOCK-START\n"));
  work.edits.insert(range.file, line_end(text, range.end_byte), concat(indent, "// EVOLVE-BLOCK-END\n"));
}

// The kernels that the region launches.
std::vector<SourceRange> kernels_of_region(const Work& work) {
  std::set<Index> kernels;
  const model::TimedRegion& region = work.program().timed_region;
  if (region.first_step == model::kNone) return {};
  for (Index step = region.first_step; step <= region.last_step; ++step) {
    if (!model::in_timed_region(work.program(), step)) continue;
    const model::Operation& operation = model::operation_at(work.program(), step);
    if (operation.launch && operation.launch->kernel != model::kNone) kernels.insert(operation.launch->kernel);
  }
  std::vector<SourceRange> ranges;
  for (Index kernel : kernels) {
    const SourceRange& range = work.program().kernels[kernel].range;
    if (range.editable && std::find(ranges.begin(), ranges.end(), range) == ranges.end()) ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

void mark_evolvable(Work& work) {
  for (const SourceRange& range : kernels_of_region(work)) mark(work, range);
}

}  // namespace cuco::rewrite
