#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/source_scan.h"

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
    SourceRange range = work.program().kernels[kernel].range;
    // With its template's head.
    if (auto function = enclosing_function(work.text_of(range), range.end_byte - 1)) range.begin_byte = function->begin;
    if (range.editable && std::find(ranges.begin(), ranges.end(), range) == ranges.end()) ranges.push_back(range);
  }
  return ranges;
}

bool is_main(const FunctionText& function) {
  size_t name = function.header.find("main");
  return name != std::string::npos && function.header.find("main(") == name;
}

// The functions that make up the pipeline: those that the calls and launches of the region stand in. main is set-up,
// harness and checks too, so it stays frozen, and a method stays with its class.
std::vector<SourceRange> pipeline_of_region(const Work& work) {
  std::vector<SourceRange> ranges;
  const model::TimedRegion& region = work.program().timed_region;
  if (region.first_step == model::kNone) return {};
  for (Index step = region.first_step; step <= region.last_step; ++step) {
    const model::Operation& operation = model::operation_at(work.program(), step);
    if (!model::in_timed_region(work.program(), step) || !model::is_device_work(operation.kind)) continue;
    std::optional<FunctionText> function =
        enclosing_function(work.text_of(operation.range), operation.range.begin_byte);
    bool in_program = work.request.sources[operation.range.file].path.ends_with(".cu");
    if (!function || is_main(*function) || !operation.range.editable || !in_program) continue;
    SourceRange range = operation.range;
    range.begin_byte = function->begin;
    range.end_byte = function->end;
    auto same = [&](const SourceRange& other) {
      return other.file == range.file && other.begin_byte == range.begin_byte;
    };
    if (std::none_of(ranges.begin(), ranges.end(), same)) ranges.push_back(range);
  }
  return ranges;
}

// Text that the set-up needs too cannot evolve: a function that allocates or makes a communicator.
bool holds_set_up(const Work& work, const SourceRange& range) {
  return std::any_of(
      work.program().operations.begin(), work.program().operations.end(), [&](const model::Operation& operation) {
        bool sets_up = operation.kind == model::OperationKind::Allocate ||
                       operation.kind == model::OperationKind::CommInit ||
                       operation.kind == model::OperationKind::RegionBegin;
        return sets_up && operation.range.file == range.file && range.begin_byte <= operation.range.begin_byte &&
               operation.range.end_byte <= range.end_byte;
      });
}

}  // namespace

bool is_unmarked(const Work& work) {
  return std::ranges::all_of(work.program().files,
                             [](const model::SourceFile& file) { return file.evolve_blocks.empty(); });
}

void mark_evolvable(Work& work) {
  if (!is_unmarked(work)) return;
  for (const SourceRange& range : kernels_of_region(work)) mark(work, range);
  for (const SourceRange& range : pipeline_of_region(work))
    if (!holds_set_up(work, range)) mark(work, range);
}

}  // namespace cuco::rewrite
