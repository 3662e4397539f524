#include "space/facts.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::space {
namespace {

using model::Index;
using model::kNone;
using model::Operation;
using model::OperationKind;

std::optional<uint64_t> literal(std::string_view text) {
  text = trim(text);
  uint64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view suffix = text.substr(static_cast<size_t>(end - text.data()));
  if (failure != std::errc() || suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
  return number;
}

std::string_view inside_dim3(std::string_view text) {
  text = trim(text);
  bool wrapped = text.starts_with("dim3") && (text.ends_with(')') || text.ends_with('}'));
  if (!wrapped) return text;
  text = trim(text.substr(4));
  return text.starts_with('(') || text.starts_with('{') ? text.substr(1, text.size() - 2) : text;
}

const model::KernelPointer* pointer_named(const model::Kernel& kernel, const std::string& name) {
  auto found = std::ranges::find(kernel.pointers, name, &model::KernelPointer::name);
  return found == kernel.pointers.end() ? nullptr : &*found;
}

// True when the kernel hands its pointer to the buffer on to code without a body.
bool reaches_unseen_code(const model::Program& program, Index operation, Index buffer) {
  const model::Kernel& kernel = program.kernels[program.operations[operation].launch->kernel];
  for (const model::Step& step : program.steps) {
    if (step.operation != operation) continue;
    for (const model::Region& region : step.regions) {
      if (region.buffer != buffer) continue;
      const model::KernelPointer* pointer = pointer_named(kernel, region.through);
      if (pointer != nullptr && pointer->assumed) return true;
    }
  }
  return false;
}

std::string tile_obstacle(const model::Program& program, Index index, const model::Dependence& dependence) {
  const Operation& operation = program.operations[index];
  if (operation.kind != OperationKind::Launch)
    return concat("`", operation.callee, "` is not a kernel of this program");
  if (operation.launch->kernel == kNone) return concat("the kernel behind `", operation.callee, "` is not known");
  if (dependence.assumed) return concat("which bytes `", operation.callee, "` touches is not known");
  if (reaches_unseen_code(program, index, dependence.buffer))
    return concat("`", operation.callee, "` touches the buffer in code that cannot be seen");
  return {};
}

void add_launch(const model::Program& program, const model::LaunchDetail& launch, LinkedWork& work) {
  work.grid = launch.grid;
  work.grid_ctas = literal_extent(launch.grid);
  work.block_threads = literal_extent(launch.block);
  work.cooperative = launch.cooperative;
  if (launch.kernel == kNone) return;
  const model::Kernel& kernel = program.kernels[launch.kernel];
  work.name = kernel.name;
  work.has_body = true;
  work.block_barriers = kernel.block_barriers;
  work.grid_barrier = kernel.grid_barrier;
}

LinkedWork linked_work(const model::Program& program, Index index, const model::Dependence& dependence) {
  const Operation& operation = program.operations[index];
  LinkedWork work;
  work.kind = operation.kind;
  work.name = operation.callee;
  work.tile_obstacle = tile_obstacle(program, index, dependence);
  if (operation.launch) add_launch(program, *operation.launch, work);
  return work;
}

// `far_end` picks the operation at the other end of the dependence from the site.
std::vector<LinkedWork> linked_works(const model::Program& program, const model::CommGraph& graph,
                                     const std::vector<Index>& dependences, Index model::Dependence::*far_end) {
  std::vector<LinkedWork> works;
  std::vector<Index> seen;
  for (Index index : dependences) {
    const model::Dependence& dependence = graph.dependences[index];
    Index operation = dependence.*far_end;
    if (std::ranges::find(seen, operation) != seen.end()) continue;
    seen.push_back(operation);
    works.push_back(linked_work(program, operation, dependence));
  }
  return works;
}

std::optional<uint64_t> message_bytes(const model::Program& program, const model::Site& site) {
  std::optional<uint64_t> bytes;
  for (Index index : site.operations) {
    const model::CommunicateDetail& detail = *program.operations[index].communicate;
    std::optional<int64_t> count = detail.count_value.as_constant();
    if (!count || *count < 0 || detail.element_bytes == 0) return std::nullopt;
    uint64_t path_bytes = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(*count), detail.element_bytes, &path_bytes)) return std::nullopt;
    if (bytes && *bytes != path_bytes) return std::nullopt;
    bytes = path_bytes;
  }
  return bytes;
}

// The operation that decides which ranks take part: the group's start, else the call itself.
const Operation& entry_of(const model::Program& program, const Operation& call) {
  Index group = call.communicate->group;
  return group == kNone ? call : program.operations[group];
}

bool has_both_ends(const model::Program& program, Index group) {
  bool sends = false, receives = false;
  for (const Operation& operation : program.operations) {
    if (!operation.communicate || operation.communicate->group != group) continue;
    sends |= operation.communicate->collective == model::Collective::Send;
    receives |= operation.communicate->collective == model::Collective::Recv;
  }
  return sends && receives;
}

// A group that every rank enters, and that sends and receives, is complete in itself. Sends and receives that stand
// alone or under a branch, and groups of one kind, meet their other ends at other sites of the communicator, on the
// same side of the region's bounds: ranks that warm up do it together.
std::string exchange_of(const model::Program& program, const model::Site& site, const Operation& call,
                        const Operation& entry) {
  const model::CommunicateDetail& detail = *call.communicate;
  bool alone = detail.group == kNone || entry.rank_dependent || !has_both_ends(program, detail.group);
  if (is_point_to_point(detail.collective) && alone)
    return concat("communicator ", detail.communicator, site.in_region ? "" : " outside the region");
  return detail.group == kNone ? site.name : concat("group ", detail.group);
}

std::string split_communicator(const model::Program& program, const model::CommunicateDetail& detail) {
  if (detail.communicator == kNone) return {};
  const model::Communicator& communicator = program.communicators[detail.communicator];
  return communicator.origin == model::CommunicatorOrigin::Split ? communicator.name : std::string();
}

void add_call(const model::Program& program, const model::Site& site, SiteFacts& facts) {
  const Operation& call = program.operations[site.operations.front()];
  const Operation& entry = entry_of(program, call);
  const model::CommunicateDetail& detail = *call.communicate;
  facts.callee = call.callee;
  facts.location = location_text(program, call.range);
  facts.collective = detail.collective;
  facts.type = detail.type;
  facts.element_bytes = detail.element_bytes;
  facts.reduction = detail.reduction;
  facts.message_bytes = message_bytes(program, site);
  if (entry.rank_dependent)
    facts.condition =
        entry.conditions.empty() ? "its loop, whose length depends on the rank, runs" : entry.conditions.front();
  facts.exchange = exchange_of(program, site, call, entry);
  facts.split_communicator = split_communicator(program, detail);
}

}  // namespace

std::optional<uint64_t> literal_extent(std::string_view text) {
  uint64_t product = 1;
  for (const std::string& side : split(inside_dim3(text), ',')) {
    for (const std::string& factor : split(side, '*')) {
      std::optional<uint64_t> number = literal(factor);
      if (!number || __builtin_mul_overflow(product, *number, &product)) return std::nullopt;
    }
  }
  return product;
}

bool is_point_to_point(model::Collective collective) {
  return collective == model::Collective::Send || collective == model::Collective::Recv;
}

bool has_known_tiles(const std::vector<LinkedWork>& works) {
  return !works.empty() && std::ranges::all_of(works, &std::string::empty, &LinkedWork::tile_obstacle);
}

std::vector<LinkedWork> tile_works(const SiteFacts& site) {
  std::vector<LinkedWork> works;
  for (const std::vector<LinkedWork>* side : {&site.producers, &site.consumers})
    if (has_known_tiles(*side)) works.insert(works.end(), side->begin(), side->end());
  return works;
}

uint32_t phase_count(const SiteFacts& site) { return site.collective == model::Collective::AllReduce ? 2 : 1; }

SiteFacts site_facts(const model::Program& program, const model::CommGraph& graph, Index index) {
  CUCO_ASSERT(index < graph.sites.size());
  const model::Site& site = graph.sites[index];
  CUCO_ASSERT(!site.operations.empty());
  SiteFacts facts;
  facts.name = site.name;
  add_call(program, site, facts);
  facts.producers = linked_works(program, graph, site.producers, &model::Dependence::from);
  facts.consumers = linked_works(program, graph, site.consumers, &model::Dependence::to);
  for (const model::Overlap& overlap : site.overlaps)
    ++(overlap.other_iteration ? facts.overlap_iteration_count : facts.overlap_count);
  facts.loop_role = site.loop_role;
  facts.group_pattern = site.group_pattern;
  facts.rank_model = program.rank_model;
  facts.in_region = site.in_region;
  facts.blockers = site.blockers;
  facts.staging = site.staging;
  return facts;
}

std::vector<SiteFacts> all_site_facts(const model::Program& program, const model::CommGraph& graph) {
  std::vector<SiteFacts> all;
  for (Index index = 0; index < graph.sites.size(); ++index) all.push_back(site_facts(program, graph, index));
  return all;
}

void stage_all(model::CommGraph& graph, std::vector<SiteFacts>& sites) {
  CUCO_ASSERT(graph.sites.size() == sites.size());
  for (size_t i = 0; i < sites.size(); i++)
    if (sites[i].staging.empty())
      graph.sites[i].staging = sites[i].staging = {"its buffers did not do as windows"};
}

bool is_all_staged(const std::vector<SiteFacts>& sites) {
  return std::ranges::none_of(sites, [](const SiteFacts& site) { return site.in_region && site.staging.empty(); });
}

}  // namespace cuco::space
