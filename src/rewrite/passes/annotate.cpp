#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

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

bool is_main(const FunctionText& function) {
  size_t name = function.header.find("main");
  return name != std::string::npos && function.header.find("main(") == name;
}

// A kernel that the region launches, with its template's head.
std::optional<SourceRange> kernel_range(const Work& work, const Operation& operation) {
  if (!operation.launch || operation.launch->kernel == model::kNone) return std::nullopt;
  SourceRange range = work.program().kernels[operation.launch->kernel].range;
  if (auto function = enclosing_function(work.text_of(range), range.end_byte - 1)) range.begin_byte = function->begin;
  return range.editable ? std::optional(range) : std::nullopt;
}

// Text that the set-up needs too cannot evolve: a function that allocates or makes a communicator.
bool holds_set_up(const Work& work, const SourceRange& range) {
  return std::ranges::any_of(work.program().operations, [&](const Operation& operation) {
    bool sets_up = operation.kind == OperationKind::Allocate || operation.kind == OperationKind::CommInit ||
                   operation.kind == OperationKind::RegionBegin;
    return sets_up && operation.range.file == range.file && range.begin_byte <= operation.range.begin_byte &&
           operation.range.end_byte <= range.end_byte;
  });
}

// A function of the pipeline: one that a call or launch of the region stands in. main is set-up, harness and checks
// too, so it stays frozen, and a method stays with its class.
std::optional<SourceRange> pipeline_range(const Work& work, const Operation& operation) {
  SourceRange range = operation.range;
  if (!range.editable || !is_device_file(work.request.sources[range.file].path)) return std::nullopt;
  std::optional<FunctionText> function = enclosing_function(work.text_of(range), range.begin_byte);
  if (!function || is_main(*function)) return std::nullopt;
  range.begin_byte = function->begin, range.end_byte = function->end;
  return holds_set_up(work, range) ? std::nullopt : std::optional(range);
}

using Ranges = std::map<std::pair<Index, uint32_t>, SourceRange>;  // By file and where they begin.

Ranges evolvable_ranges(const Work& work) {
  Ranges ranges;
  const model::TimedRegion& region = work.program().timed_region;
  for (Index step = region.first_step; step != model::kNone && step <= region.last_step; ++step) {
    const Operation& operation = model::operation_at(work.program(), step);
    if (!model::in_timed_region(work.program(), step) || !model::is_device_work(operation.kind)) continue;
    for (const auto& range : {kernel_range(work, operation), pipeline_range(work, operation)})
      if (range) ranges.emplace(std::pair(range->file, range->begin_byte), *range);
  }
  return ranges;
}

// Nothing but comments from the end of one to the begin of the other.
bool touch(const Work& work, const SourceRange& a, const SourceRange& b) {
  if (a.file != b.file) return false;
  std::string_view text = std::string_view(work.text_of(a)).substr(0, b.begin_byte);
  size_t at = skip_space(text, a.end_byte);
  while (at < text.size() && text[at] == '/') at = skip_space(text, skip_opaque(text, at));
  return at >= text.size();
}

}  // namespace

bool is_unmarked(const Work& work) {
  return std::ranges::all_of(work.program().files,
                             [](const model::ProgramFile& file) { return file.evolve_blocks.empty(); });
}

void mark_evolvable(Work& work) {
  if (!is_unmarked(work)) return;
  std::optional<SourceRange> open;
  for (const auto& [place, range] : evolvable_ranges(work)) {
    if (open && touch(work, *open, range)) {
      open->end_byte = std::max(open->end_byte, range.end_byte);
      continue;
    }
    if (open) mark(work, *open);
    open = range;
  }
  if (open) mark(work, *open);
}

}  // namespace cuco::rewrite
