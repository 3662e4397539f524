#include <algorithm>

#include "base/text.h"
#include "rewrite/launched_kernel.h"
#include "rewrite/pass.h"
#include "rewrite/sections.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::Operation;
using model::OperationKind;
using model::SourceRange;

const Operation& first_call(const Work& work, Index site) {
  return work.program().operations[work.request.graph.sites[site].operations[0]];
}

// A name that the text has no other use for.
std::string unused_name(std::string name, const std::string& text) {
  while (mentions(text, name)) name += "_";
  return name;
}

// A kernel that is to take which of its blocks run: everything about it that has to change.
struct CutKernel {
  const model::Kernel& kernel;
  std::string name;
  KernelText text;
  std::vector<std::pair<Index, KernelLaunch>> launches;  // With the file.
};

// The obstacle, or empty and `cut` is complete.
std::string read_uses(const Work& work, CutKernel& cut) {
  uint32_t declarations = 0;
  for (Index file = 0; file < work.request.sources.size(); file++) {
    KernelUses uses = find_uses(work.request.sources[file].text, cut.name);
    if (uses.has_others) return "is used by its address";
    declarations += uses.declaration_count;
    for (KernelLaunch& launch : uses.launches) cut.launches.emplace_back(file, std::move(launch));
  }
  if (declarations != 1) return "is declared more than once";
  return block_obstacle(work, cut.kernel, cut.text.text);
}

void change_kernel(Work& work, const CutKernel& cut) {
  Index file = cut.kernel.range.file;
  std::string name = unused_name("blocks", cut.text.text);
  work.edits.insert(file, cut.text.parameters_end,
                    concat(cut.text.has_parameters ? ", " : "", "device_comm::Blocks ", name));
  work.edits.insert(file, cut.text.body,
                    concat("\n  [[maybe_unused]] const uint3 blockIdx = ", name,
                           ".index();\n  [[maybe_unused]] const dim3 gridDim = ", name, ".extent();"));
}

// Before what closes the arguments, behind those that are there.
void add_argument(Work& work, Index file, const LaunchText& launch, const std::string& argument) {
  const Item& last = launch.arguments.back();
  work.edits.insert(file, last.end, concat(last.text.empty() ? "" : ", ", argument));
}

std::string extents(const std::array<uint32_t, 3>& of) { return concat("{", of[0], ", ", of[1], ", ", of[2], "}"); }

// "device_comm::Slices(8, 1, grid, stream)": what gives the slices of a launch.
std::string slices_of(const Work& work, const std::vector<Item>& given, const SliceFacts& facts) {
  std::string stream = given.size() > 3 ? given[3].text : "nullptr";
  auto pointer = work.written_pointers.find(facts.launch);
  if (facts.shape.unit_bytes == 0 || pointer == work.written_pointers.end())
    return concat("device_comm::Slices(", facts.slice_count, ", ", facts.cut.dimension, ", ", given[0].text, ", ",
                  stream, ")");
  return concat("device_comm::ToldSlices({", facts.cut.dimension, ", ", facts.shape.unit_bytes, ", ",
                extents(facts.shape.grid), ", ", extents(facts.shape.block), "}, ", given[0].text, ", ", given[1].text,
                ", ", stream, ", ", pointer->second, ")");
}

void change_launch(Work& work, Index file, const KernelLaunch& launch, const SliceFacts& facts) {
  const std::vector<Item>& given = launch.text.configuration;
  std::string slice = unused_name("slice", text_of(launch.text));
  work.edits.insert(
      file, launch.begin,
      concat("for (const device_comm::Slice& ", slice, " : ", slices_of(work, given, facts), ")\n      "));
  work.edits.replace(
      file, given.front().begin, given.back().end,
      concat(slice, ".grid, ", given[1].text, ", ", given.size() > 2 ? given[2].text : "0", ", ", slice, ".stream"));
  add_argument(work, file, launch.text, concat(slice, ".blocks"));
}

std::string cut_launch(Work& work, const Operation& operation, const SliceFacts& facts) {
  const model::Kernel& kernel = work.program().kernels[operation.launch->kernel];
  if (!operation.range.editable || !kernel.range.editable) return "stands in a macro";
  CutKernel cut{kernel, plain_name(kernel.name), {}, {}};
  auto text = read_kernel(work.text_of(kernel.range), kernel.range.begin_byte, kernel.range.end_byte, cut.name);
  if (!text) return "is written in a way that is not understood";
  cut.text = std::move(*text);
  if (std::string obstacle = read_uses(work, cut); !obstacle.empty()) return obstacle;
  bool found = false;
  for (const auto& [file, launch] : cut.launches) {
    bool is_cut = file == operation.range.file && launch.begin == operation.range.begin_byte;
    if (is_cut && (operation.launch->cooperative || has_side_effects(launch.text)))
      return "is launched cooperatively or with arguments that change something";
    found = found || is_cut;
  }
  if (!found || operation.statement.begin_byte != operation.range.begin_byte)
    return "is not launched by a statement of its own";
  change_kernel(work, cut);
  for (const auto& [file, launch] : cut.launches)
    if (file == operation.range.file && launch.begin == operation.range.begin_byte)
      change_launch(work, file, launch, facts);
    else
      add_argument(work, file, launch.text, "device_comm::Blocks()");
  return "";
}

// Calls of one group are one exchange, whose messages are all cut alike.
bool is_cut_like_its_group(const Work& work, Index site) {
  Index group = first_call(work, site).communicate->group;
  return group == model::kNone || std::all_of(work.sites.begin(), work.sites.end(), [&](Index other) {
           return first_call(work, other).communicate->group != group ||
                  directive_of(work, other).chunk_bytes == directive_of(work, site).chunk_bytes;
         });
}

std::string obstacle_of(const Work& work, Index site, const SliceFacts& facts) {
  if (!facts.obstacle.empty()) return facts.obstacle;
  if (!is_cut_like_its_group(work, site)) return "other calls of its group have other chunks";
  if (is_reduction(first_call(work, site).communicate->collective)) return "no rule sends a reduction in parts";
  for (const auto& [other, known] : work.slices)
    if (same_place(known.launch, facts.launch) && (known.cut != facts.cut || known.slice_count != facts.slice_count))
      return concat("the grid before it is cut for ", work.request.graph.sites[other].name, " in another way");
  return launch_at(work, facts.launch) ? ""
                                       : concat("the analysis finds no launch of a known kernel at ", facts.launch);
}

// Parts of messages in flight leave by themselves; where a launch that feeds them cannot be cut, they leave together.
void find_producers(Work& work, Index site) {
  const Operation& call = first_call(work, site);
  if (call.communicate->collective != model::Collective::Send) return;
  if (!work.request.accesses) return work.obstacle(call.range, "chunks need a traced run of the program");
  bool found = false;
  std::vector<std::string> kept;
  for (SliceFacts& facts : producers_of(*work.request.accesses, place_of(work, call.range))) {
    const Operation* launch = launch_at(work, facts.launch);
    if (facts.obstacle.empty() && !launch) facts.obstacle = "the analysis does not know its kernel";
    if (!facts.obstacle.empty()) kept.push_back(concat(facts.kernel, " runs whole: ", facts.obstacle));
    if (!facts.obstacle.empty()) continue;
    found = true;
    bool known = std::any_of(work.told_slices.begin(), work.told_slices.end(),
                             [&](const SliceFacts& one) { return same_place(one.launch, facts.launch); });
    if (!known) work.told_slices.push_back(std::move(facts));
  }
  for (const std::string& reason : kept) work.notes.push_back(reason);
  if (!found)
    work.obstacle(call.range, concat("the messages cannot be sent in parts: ",
                                     kept.empty() ? "no kernel of the traced run writes them" : join(kept, "; ")));
}

void cut_told_launches(Work& work) {
  for (const SliceFacts& facts : work.told_slices) {
    const Operation& launch = *launch_at(work, facts.launch);
    std::string obstacle;
    if (!work.written_pointers.contains(facts.launch)) obstacle = "writes through pointers that are not told apart";
    if (obstacle.empty()) obstacle = cut_launch(work, launch, facts);
    if (!obstacle.empty())
      work.obstacle(launch.range, concat("the grid of ", facts.kernel, " cannot be cut: it ", obstacle));
    work.notes.push_back(concat(facts.kernel, " is cut, and what it writes leaves slice by slice; which blocks write ",
                                "what holds for launches of the shape that was traced"));
  }
}

}  // namespace

std::string place_of(const Work& work, const SourceRange& range) {
  return concat(work.program().files[range.file].path, ":", range.line);
}

void find_slices(Work& work) {
  for (Index site : work.sites) {
    if (is_fused(work, site)) continue;
    if (is_chunked(work, site)) {
      find_producers(work, site);
      continue;
    }
    uint64_t chunk_bytes = directive_of(work, site).chunk_bytes;
    const SourceRange& range = first_call(work, site).range;
    if (chunk_bytes == space::kWholeMessage) continue;
    if (!work.request.accesses) {
      work.obstacle(range, "chunks need a traced run of the program");
      continue;
    }
    SliceFacts facts = slice_facts(*work.request.accesses, place_of(work, range), chunk_bytes);
    if (std::string obstacle = obstacle_of(work, site, facts); !obstacle.empty())
      work.obstacle(range, concat("the messages cannot be sent in parts: ", obstacle));
    else
      work.slices.emplace(site, std::move(facts));
  }
}

void cut_grids(Work& work) {
  cut_told_launches(work);
  for (const auto& [site, facts] : work.slices) {
    const Operation& launch = *launch_at(work, facts.launch);
    std::string obstacle = cut_launch(work, launch, facts);
    if (!obstacle.empty())
      work.obstacle(launch.range, concat("the grid of ", facts.kernel, " cannot be cut: it ", obstacle));
    work.notes.push_back(concat(work.request.graph.sites[site].name, " is sent in ", facts.slice_count, " parts while ",
                                facts.kernel,
                                " computes the rest; which blocks write which part holds "
                                "for launches of the shape that was traced"));
  }
}

}  // namespace cuco::rewrite
