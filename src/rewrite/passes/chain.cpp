// Launches around messages in flight that leave in parts. Each of them becomes a row of slices that wait, by the bytes
// they touch, for slices of other launches and for parts of messages, and for nothing else.
#include <algorithm>

#include "base/text.h"
#include "model/blockers.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/held_launch.h"
#include "rewrite/text/relation_text.h"

namespace cuco::rewrite {

namespace {

// A pointer of a kernel as the launch's text gives it.
struct BoundPointer {
  std::string name;  // In the kernel.
  Index argument = 0;
  std::string field;  // ".out" where it lies in an argument passed by value.
};

// The kernel's pointers in an argument passed by value are bound in their order, when all of them were traced.
std::optional<BoundPointer> bind(const model::Kernel& kernel, const ChainLaunch& launch, const AccessTerms& use) {
  std::vector<const model::KernelPointer*> named;
  for (const model::KernelPointer& pointer : kernel.pointers)
    if (pointer.parameter == use.parameter) named.push_back(&pointer);
  size_t before = 0, all = 0;
  for (const auto& [parameter, field] : launch.pointers) {
    all += parameter == use.parameter;
    before += parameter == use.parameter && field < use.field;
  }
  if (named.size() != all || before >= named.size()) return std::nullopt;
  const std::string& name = named[before]->name;
  return BoundPointer{name, use.parameter, name.substr(std::min(name.find_first_of(".["), name.size()))};
}

// Whether nobody writes what the pointer leads to, by all that the analysis knows of the launch.
bool is_constant(const Work& work, const Operation& launch, const std::string& pointer, Index first_step) {
  bool known = false;
  for (const model::Step& step : work.program().steps) {
    const Operation& other = work.operation(step.operation);
    if (!other.launch || other.range.file != launch.range.file || other.range.begin_byte != launch.range.begin_byte)
      continue;
    for (const model::Region& region : step.regions) {
      if (region.through != pointer) continue;
      bool is_buffer = region.buffer < work.program().buffers.size() &&
                       work.program().buffers[region.buffer].kind != model::BufferKind::External;
      if (!is_buffer || is_written(work, region.buffer, first_step)) return false;
      known = true;
    }
  }
  return known;
}

// Leaves out what nobody has to wait for.
std::string drop_constants(const Work& work, const Operation& operation, ChainLaunch& launch) {
  const model::Kernel& kernel = work.program().kernels[operation.launch->kernel];
  Index first_step = first_step_in_flight(work);
  for (UnitForm& form : launch.forms) {
    std::vector<AccessTerms> kept;
    for (const AccessTerms& use : form.form.accesses) {
      std::optional<BoundPointer> pointer = bind(kernel, launch, use);
      if (!pointer) return "its pointers cannot be told apart";
      if (use.writes || !is_constant(work, operation, pointer->name, first_step)) kept.push_back(use);
    }
    form.form.accesses = std::move(kept);
  }
  return "";
}

std::string text_of(const UnitForm& form, const model::Kernel& kernel, const ChainLaunch& facts,
                    const LaunchText& launch, const RelationText& numbers) {
  std::string text = numbers.shape(form.form.guard);
  if (form.dimension != 0) text += concat(".along(", form.dimension, ")");
  if (form.grain != 1) text += concat(".in_grains(", form.grain, ")");
  for (const AccessTerms& use : form.form.accesses) {
    BoundPointer pointer = *bind(kernel, facts, use);
    text += concat("\n          ", numbers.touched(use, launch.arguments[pointer.argument].text + pointer.field));
  }
  return text;
}

std::string shapes_of(const ChainLaunch& facts, const model::Kernel& kernel, const LaunchText& launch) {
  RelationText numbers(kernel, launch);
  std::vector<std::string> shapes;
  for (const UnitForm& form : facts.forms) shapes.push_back(text_of(form, kernel, facts, launch, numbers));
  return concat("{", join(shapes, ",\n       "), "}");
}

// gemm<<<grid, 64, 0, stream>>>(a, c) becomes launch_in_slices(shapes, grid, 64, stream, [argument_0 = a, ...](slice)
// { gemm<<<slice.grid, 64, 0, slice.stream>>>(argument_0, argument_1, slice.blocks); }).
void change_launch(Work& work, const Operation& operation, const ChainLaunch& facts, const KernelLaunch& launch) {
  Index file = operation.range.file;
  const std::vector<Item>& given = launch.text.configuration;
  const model::Kernel& kernel = work.program().kernels[operation.launch->kernel];
  Captures values(Captured::AllButNumbers);
  std::string threads = values.take(given[1].text, "threads");
  std::string shared = values.take(launch.text.shared_bytes(), "shared_bytes");
  std::string shapes = shapes_of(facts, kernel, launch.text);
  for (size_t i = 0; i < launch.text.arguments.size(); i++) {
    const Item& item = launch.text.arguments[i];
    std::string name = values.take(item.text, concat("argument_", i));
    if (name != item.text) work.edits.replace(file, item.begin, item.end, name);
  }
  work.edits.insert(
      file, launch.begin,
      concat("cuco::comm::launch_in_slices(\n      ", shapes, ",\n      ", given[0].text, ", ", given[1].text, ", ",
             launch.text.stream(), ",\n      ", values.text(), "(const cuco::comm::Slice& slice) {\n        "));
  work.edits.replace(file, given.front().begin, given.back().end,
                     concat("slice.grid, ", threads, ", ", shared, ", slice.stream"));
  add_argument(work, file, launch.text, "slice.blocks");
  work.edits.insert(file, operation.range.end_byte, ";\n      })");
}

std::vector<std::string> places_of_chunked_calls(const Work& work) {
  std::vector<std::string> places;
  for (Index site : work.sites)
    if (is_chunked(work, site))
      for (Index call : work.site(site).operations) places.push_back(place_of(work, work.operation(call).range));
  return places;
}

void add_obstacles(Work& work, std::vector<ChainLaunch>& launches) {
  for (ChainLaunch& launch : launches) {
    if (!launch.obstacle.empty()) continue;
    const Operation* operation = launch_at(work, launch.place);
    launch.obstacle = operation ? drop_constants(work, *operation, launch) : "the analysis does not know its kernel";
  }
}

// Those without an obstacle; what then stands in the way becomes theirs.
void cut(Work& work, std::vector<ChainLaunch>& launches, KernelNames& cut_kernels) {
  std::vector<LaunchCut> cuts;
  std::vector<ChainLaunch*> all;
  for (ChainLaunch& launch : launches) {
    if (!launch.obstacle.empty()) continue;
    const Operation* operation = launch_at(work, launch.place);
    auto change = [&work, operation, &launch](const KernelLaunch& text) {
      change_launch(work, *operation, launch, text);
    };
    cuts.push_back({operation, change, {}});
    for (const UnitForm& form : launch.forms) cuts.back().dimensions.insert(form.dimension);
    all.push_back(&launch);
  }
  std::vector<std::string> obstacles = cut_launches(work, cuts, cut_kernels);
  for (size_t i = 0; i < all.size(); i++)
    if (!obstacles[i].empty()) all[i]->obstacle = concat("it ", obstacles[i]);
}

void refuse(Work& work, const std::vector<ChainLaunch>& launches) {
  std::vector<std::string> reasons;
  for (const ChainLaunch& launch : launches) reasons.push_back(concat(launch.kernel, " runs whole: ", launch.obstacle));
  for (Index site : work.sites)
    if (is_chunked(work, site) && first_call(work, site).communicate->collective == Collective::Send)
      work.obstacle(first_call(work, site).range, "the messages cannot be sent in parts: ",
                    reasons.empty() ? "no kernel of the traced run touches them" : join(reasons, "; "));
}

void note(Work& work, const ChainLaunch& launch) {
  work.note(launch.obstacle.empty()
                ? concat(launch.kernel,
                         " is cut into slices that wait by the bytes they touch; which blocks touch what ",
                         launch.forms.at(0).form.at_other_sizes
                             ? "held at further sizes, and launches that were not like the traced ones run whole"
                             : "holds for exactly the launches that were traced, and others run whole")
                : concat(launch.kernel, " runs whole: ", launch.obstacle));
}

}  // namespace

Chain cut_chain(Work& work) {
  Chain chain;
  std::vector<std::string> places = places_of_chunked_calls(work);
  // Blocks that wait for parts of messages leave nothing to slices that would.
  if (places.empty() || waits_in_blocks(work)) return chain;
  if (!work.request.accesses) {
    work.obstacle(first_call(work, work.sites[0]).range, "chunks need a traced run of the program");
    return chain;
  }
  std::vector<ChainLaunch> launches = chain_of(*work.request.accesses, places);
  add_obstacles(work, launches);
  cut(work, launches, chain.kernels);
  for (const ChainLaunch& launch : launches) {
    note(work, launch);
    if (launch.obstacle.empty()) chain.launches.push_back(launch);
  }
  if (chain.launches.empty()) refuse(work, launches);
  return chain;
}

bool is_in_chain(const Work& work, const Operation& launch) {
  const std::vector<ChainLaunch>& chain = work.found.chain.launches;
  return launch.launch && std::ranges::any_of(chain, [&](const ChainLaunch& one) {
           return same_place(one.place, place_of(work, launch.range));
         });
}

std::set<Index> chained_buffers(const Work& work, Index first_step) {
  std::set<Index> buffers;
  if (work.found.chain.launches.empty()) return buffers;
  for (const model::Step& step : work.program().steps)
    if (is_in_chain(work, work.operation(step.operation)))
      for (const model::Region& region : step.regions)
        if (is_written(work, region.buffer, first_step)) buffers.insert(region.buffer);
  for (Index site : work.sites)
    if (is_in_flight(work, site))
      for (Index buffer : model::site_buffers(work.program(), work.site(site))) buffers.erase(buffer);
  return buffers;
}

}  // namespace cuco::rewrite
