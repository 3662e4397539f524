#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/launched_kernel.h"
#include "rewrite/text/relation_text.h"

namespace cuco::rewrite {

namespace {

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
  std::set<int> dimensions = {};                         // That any of them may be cut along.
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
  std::string type = cut.dimensions.size() == 1 ? concat("BlocksAlong<", *cut.dimensions.begin(), ">") : "Blocks";
  work.edits.insert(file, cut.text.parameters_end,
                    concat(cut.text.has_parameters ? ", " : "", "cuco::comm::", type, " ", name));
  work.edits.insert(file, cut.text.body,
                    concat("\n  [[maybe_unused]] const cuco::comm::BlockIndex blockIdx(", name,
                           ");\n  [[maybe_unused]] const cuco::comm::GridExtent gridDim(", name, ");"));
}

// "cuco::comm::Slices(8, 1, grid, block, stream, SHAPE)": what gives the slices of a launch.
std::string slices_of(const LaunchText& launch, const SliceFacts& facts, const std::string& like) {
  return concat("cuco::comm::Slices(", facts.slice_count, ", ", facts.cut.dimension, ", ", launch.configuration[0].text,
                ", ", launch.configuration[1].text, ", ", launch.stream(), like.empty() ? "" : concat(",", like), ")");
}

const LaunchCut* cut_at(const std::vector<LaunchCut>& cuts, Index file, const KernelLaunch& launch) {
  for (const LaunchCut& cut : cuts)
    if (cut.launch->range.file == file && cut.launch->range.begin_byte == launch.begin) return &cut;
  return nullptr;
}

std::string obstacle_in_launches(const CutKernel& kernel, const std::vector<LaunchCut>& cuts) {
  size_t found = 0;
  for (const auto& [file, launch] : kernel.launches) {
    const LaunchCut* cut = cut_at(cuts, file, launch);
    if (cut && (cut->launch->launch->cooperative || has_side_effects(launch.text)))
      return "is launched cooperatively or with arguments that change something";
    found += cut != nullptr;
  }
  bool alone = std::ranges::all_of(
      cuts, [](const LaunchCut& cut) { return cut.launch->statement.begin_byte == cut.launch->range.begin_byte; });
  return found < cuts.size() || !alone ? "is not launched by a statement of its own" : "";
}

// Calls of one group are one exchange, whose messages are all cut alike.
bool is_cut_like_its_group(const Work& work, Index site) {
  Index group = first_call(work, site).communicate->group;
  return group == model::kNone || std::ranges::all_of(work.sites, [&](Index other) {
           return first_call(work, other).communicate->group != group ||
                  directive_of(work, other).chunk_bytes == directive_of(work, site).chunk_bytes;
         });
}

std::string obstacle_of(const Work& work, Index site, const SliceFacts& facts, const SitesInParts& before) {
  if (!facts.obstacle.empty()) return facts.obstacle;
  if (!is_cut_like_its_group(work, site)) return "other calls of its group have other chunks";
  for (const auto& [other, known] : before)
    if (same_place(known.launch, facts.launch) && (known.cut != facts.cut || known.slice_count != facts.slice_count))
      return concat("the grid before it is cut for ", work.site(other).name, " in another way");
  return launch_at(work, facts.launch) ? ""
                                       : concat("the analysis finds no launch of a known kernel at ", facts.launch);
}

}  // namespace

std::string place_of(const Work& work, const SourceRange& range) {
  return concat(work.program().files[range.file].path, ":", range.line);
}

void add_argument(Work& work, Index file, const LaunchText& launch, const std::string& argument) {
  const Item& last = launch.arguments.back();
  work.edits.insert(file, last.end, concat(last.text.empty() ? "" : ", ", argument));
}

namespace {

const model::Kernel& kernel_of(const Work& work, const LaunchCut& cut) {
  return work.program().kernels[cut.launch->launch->kernel];
}

// All launches of one kernel that are cut.
std::string cut_kernel(Work& work, const std::vector<LaunchCut>& cuts, KernelNames& cut_kernels) {
  const model::Kernel& kernel = kernel_of(work, cuts[0]);
  bool editable = std::ranges::all_of(cuts, [](const LaunchCut& cut) { return cut.launch->range.editable; });
  if (!editable || !kernel.range.editable) return "stands in a macro";
  CutKernel cut{kernel, plain_name(kernel.name), {}, {}};
  auto text = read_kernel(work.text_of(kernel.range), kernel.range.begin_byte, kernel.range.end_byte, cut.name);
  if (!text) return "is written in a way that is not understood";
  cut.text = std::move(*text);
  if (std::string obstacle = read_uses(work, cut); !obstacle.empty()) return obstacle;
  if (std::string obstacle = obstacle_in_launches(cut, cuts); !obstacle.empty()) return obstacle;
  if (!cut_kernels.insert(cut.name).second) return "is cut for other calls, too";
  for (const LaunchCut& one : cuts) cut.dimensions.insert(one.dimensions.begin(), one.dimensions.end());
  change_kernel(work, cut);
  for (const auto& [file, launch] : cut.launches)
    if (const LaunchCut* one = cut_at(cuts, file, launch))
      one->change(launch);
    else
      add_argument(work, file, launch.text, "cuco::comm::Blocks()");
  return "";
}

}  // namespace

std::vector<std::string> cut_launches(Work& work, const std::vector<LaunchCut>& cuts, KernelNames& cut_kernels) {
  std::map<std::pair<Index, uint32_t>, std::vector<size_t>> kernels;  // By their place in the source.
  for (size_t i = 0; i < cuts.size(); i++) {
    const SourceRange& range = kernel_of(work, cuts[i]).range;
    kernels[{range.file, range.begin_byte}].push_back(i);
  }
  std::vector<std::string> obstacles(cuts.size());
  for (const auto& [place, indices] : kernels) {
    std::vector<LaunchCut> own;
    for (size_t i : indices) own.push_back(cuts[i]);
    std::string obstacle = cut_kernel(work, own, cut_kernels);
    for (size_t i : indices) obstacles[i] = obstacle;
  }
  return obstacles;
}

std::string like_traced(const model::Kernel& kernel, const LaunchText& launch, const SliceFacts& facts) {
  RelationText numbers(kernel, launch);
  return concat("\n          ", numbers.shape(facts.guard), ".message(", numbers.of(facts.message_bytes), ")");
}

void change_launch(Work& work, Index file, const KernelLaunch& launch, const SliceFacts& facts,
                   const std::string& like) {
  const std::vector<Item>& given = launch.text.configuration;
  std::string slice = unused_name("slice", text_of(launch.text));
  work.edits.insert(
      file, launch.begin,
      concat("for (const cuco::comm::Slice& ", slice, " : ", slices_of(launch.text, facts, like), ")\n      "));
  work.edits.replace(file, given.front().begin, given.back().end,
                     concat(slice, ".grid, ", given[1].text, ", ", launch.text.shared_bytes(), ", ", slice, ".stream"));
  add_argument(work, file, launch.text, concat(slice, ".blocks"));
}

SitesInParts find_slices(Work& work) {
  SitesInParts slices;
  for (Index site : work.sites) {
    if (is_fused(work, site) || is_chunked(work, site)) continue;
    uint64_t chunk_bytes = directive_of(work, site).chunk_bytes;
    const SourceRange& range = first_call(work, site).range;
    if (chunk_bytes == space::kWholeMessage) continue;
    if (!work.request.accesses) {
      work.obstacle(range, "chunks need a traced run of the program");
      continue;
    }
    SliceFacts facts = slice_facts(*work.request.accesses, place_of(work, range), {chunk_bytes});
    if (std::string obstacle = obstacle_of(work, site, facts, slices); !obstacle.empty())
      work.obstacle(range, "the messages cannot be sent in parts: ", obstacle);
    else
      slices.emplace(site, std::move(facts));
  }
  return slices;
}

void cut_grids(Work& work) {
  KernelNames cut_kernels = work.found.chain.kernels;
  for (const auto& [site, facts] : work.found.slices) {
    const Operation& launch = *launch_at(work, facts.launch);
    const model::Kernel& kernel = work.program().kernels[launch.launch->kernel];
    auto change = [&, &cut = facts](const KernelLaunch& text) {
      change_launch(work, launch.range.file, text, cut, like_traced(kernel, text.text, cut));
    };
    std::string obstacle = cut_launches(work, {{&launch, change, {facts.cut.dimension}}}, cut_kernels)[0];
    if (!obstacle.empty()) work.obstacle(launch.range, "the grid of ", facts.kernel, " cannot be cut: it ", obstacle);
    work.note(work.site(site).name, " is sent in ", facts.slice_count, " parts while ", facts.kernel,
              " computes the rest; which blocks write which part ",
              facts.at_other_sizes ? "held at further sizes, and launches unlike the traced ones are not cut"
                                   : "holds for exactly the launches that were traced, and others are not cut");
  }
}

}  // namespace cuco::rewrite
