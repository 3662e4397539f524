#include "rewrite/evidence/consume_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "footprint/block_accesses.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using footprint::block_accesses;
using footprint::BlockAccesses;
using footprint::obstacle_in_writes;
using footprint::Rules;

std::set<uint32_t> received_buffers(const std::vector<TracedStep>& steps) {
  std::set<uint32_t> buffers;
  for (const TracedStep& step : steps)
    if (!step.is_launch && step.call.receive.used) buffers.insert(step.call.receive.buffer);
  return buffers;
}

// A launch at the place, and what is received by its rank.
struct Reader {
  const TracedLaunch* launch;
  std::set<uint32_t> received;
};

std::vector<Reader> readers_in(const AccessTrace& trace, const std::string& place) {
  std::vector<Reader> readers;
  for (const std::vector<TracedStep>& steps : trace.ranks) {
    std::set<uint32_t> received = received_buffers(steps);
    for (const TracedStep& step : steps)
      if (step.is_launch && same_place(step.place, place)) readers.push_back({&step.launch, received});
  }
  return readers;
}

// What either touches.
void widen(Access& access, const Access& other) {
  bool alike = access.has_rule() && other.has_rule() && access.dimension() == other.dimension() &&
               access.every == other.every && access.step() == other.step();
  access.writes |= other.writes;
  if (!alike) {
    access = anywhere(access);
    return;
  }
  int64_t end = std::max(access.offset + access.bytes, other.offset + other.bytes);
  access.offset = std::min(access.offset, other.offset);
  access.bytes = access.stride = end - access.offset;
}

void add_shape(std::vector<TracedShape>& shapes, const TracedLaunch& launch, const Accesses& accesses) {
  TracedShape* known = shape_of(shapes, launch);
  if (!known) return shapes.push_back({launch.grid, launch.block, accesses, launch.numbers});
  known->keep_common(launch.numbers);
  for (const Access& access : accesses) {
    auto own = std::ranges::find_if(known->accesses, [&](const Access& one) { return one.is_behind(access); });
    if (own == known->accesses.end())
      known->accesses.push_back(access);
    else
      widen(*own, access);
  }
}

// With why its blocks cannot wait.
BlockAccesses accesses_of(const Reader& reader, Rules rules) {
  BlockAccesses found = block_accesses(*reader.launch, reader.received, rules);
  if (found.obstacle.empty() && !found.accesses.empty()) found.obstacle = obstacle_in_writes(*reader.launch);
  return found;
}
bool reads_nothing(const BlockAccesses& found) { return found.accesses.empty() && found.obstacle.empty(); }

void add_launch(const Reader& reader, ConsumeFacts& facts, std::vector<TracedShape>& shapes) {
  BlockAccesses found = accesses_of(reader, Rules::WorthWaiting);
  if (reads_nothing(found)) return;
  facts.reads_received = true;
  facts.kernel = reader.launch->kernel;
  if (facts.obstacle.empty()) facts.obstacle = found.obstacle;
  if (facts.obstacle.empty()) add_shape(shapes, *reader.launch, found.accesses);
}

// Launches of other runs with the same grid that touch the same show which of their numbers are of no matter.
void drop_other_numbers(std::vector<TracedShape>& shapes, const AccessTrace& trace, const std::string& place) {
  for (const Reader& reader : readers_in(trace, place)) {
    TracedShape* known = shape_of(shapes, *reader.launch);
    if (known && block_accesses(*reader.launch, reader.received, Rules::WorthWaiting).accesses == known->accesses)
      known->keep_common(reader.launch->numbers);
  }
}

bool waits_for_less(const TracedShape& shape) {
  return std::ranges::any_of(shape.accesses, [](const Access& one) { return one.has_rule(); });
}

using Samples = std::vector<AccessSample>;

// Adds the launches of a run that touch what is received; why one of them says nothing.
std::string add_samples(Samples& samples, const AccessTrace& trace, const std::string& place) {
  for (const Reader& reader : readers_in(trace, place)) {
    BlockAccesses found = accesses_of(reader, Rules::All);
    if (reads_nothing(found)) continue;
    if (!found.obstacle.empty()) return concat("at another size ", found.obstacle);
    samples.push_back({reader.launch, std::move(found.accesses)});
  }
  return "";
}

using Pointer = std::pair<uint32_t, uint32_t>;  // Parameter and field.
Pointer pointer_of(const Access& access) { return {access.parameter, access.field}; }

// The dimension of the rule for each pointer that has one at the traced size.
std::map<Pointer, int> ruled_pointers(const std::vector<TracedShape>& shapes) {
  std::map<Pointer, int> ruled;
  for (const TracedShape& shape : shapes)
    for (const Access& access : shape.accesses)
      if (access.has_rule()) ruled.emplace(pointer_of(access), access.dimension());
  return ruled;
}

// One block along a dimension shows no rule, and when the program runs such a launch waits on its stream.
void drop_single_blocks(Samples& samples, const std::map<Pointer, int>& ruled) {
  std::erase_if(samples, [&](const AccessSample& sample) {
    return std::ranges::any_of(
        ruled, [&](const auto& pointer) { return sample.launch->grid[static_cast<size_t>(pointer.second)] == 1; });
  });
}

std::map<Pointer, bool> touched_pointers(const Samples& samples) {
  std::map<Pointer, bool> writes;
  for (const AccessSample& sample : samples)
    for (const Access& access : sample.accesses) writes[pointer_of(access)] |= access.writes;
  return writes;
}

// What all launches touch behind one pointer, along the dimension of its rule; nothing where one follows no such rule.
std::vector<std::optional<Access>> ruled_accesses(const Pointer& pointer, int dimension, const Samples& samples) {
  std::vector<std::optional<Access>> all;
  for (const AccessSample& sample : samples) {
    auto own = std::ranges::find_if(sample.accesses, [&](const Access& access) {
      return pointer_of(access) == pointer && access.has_rule() && access.dimension() == dimension;
    });
    if (own == sample.accesses.end()) return {};
    all.emplace_back(*own);
  }
  return all;
}

// The form of all these launches, `own` of the traced size, of which `shapes` are known, and at least two unlike them;
// else why there is none.
Result<AccessForm> sized_form(const std::vector<TracedShape>& shapes, Samples own, Samples further) {
  std::map<Pointer, int> ruled = ruled_pointers(shapes);
  drop_single_blocks(own, ruled);
  drop_single_blocks(further, ruled);
  if (own.empty() || count_others(launches_of(own), launches_of(further)) < footprint::kFurtherMin)
    return Error{"fewer than two launches of other sizes were traced"};
  Samples all = std::move(own);
  all.insert(all.end(), further.begin(), further.end());
  if (!can_be_compared(launches_of(all))) return Error{"at another size it has other arguments or threads"};
  std::vector<footprint::AccessColumn> columns;
  for (const auto& [pointer, writes] : touched_pointers(all)) {
    auto rule = ruled.find(pointer);
    if (rule == ruled.end())
      columns.push_back({{}, AccessTerms{pointer.first, pointer.second, writes}});
    else if (columns.push_back({ruled_accesses(pointer, rule->second, all)}); columns.back().values.empty())
      return Error{"at another size its blocks do not read by such a rule"};
  }
  std::optional<AccessForm> form = form_over(launches_of(all), ruled.begin()->second, columns);
  if (!form) return Error{"no product of its launch's numbers gives the bytes that a block reads at all traced sizes"};
  if (form->accesses.size() > kBlockUsesMax) return Error{"at another size it reads behind too many pointers"};
  return *std::move(form);
}

void generalise(ConsumeFacts& facts, const std::vector<TracedShape>& shapes, const AccessTrace& trace,
                const std::string& place) {
  Samples own, further;
  for_each_run(trace, [&](const AccessTrace& run, bool is_own) {
    if (facts.unsized.empty()) facts.unsized = add_samples(is_own ? own : further, run, place);
  });
  if (!facts.unsized.empty()) return;
  Result<AccessForm> sized = sized_form(shapes, std::move(own), std::move(further));
  if (sized)
    facts.forms = {*sized};
  else
    facts.unsized = sized.error().message;
}

}  // namespace

ConsumeFacts consume_facts(const AccessTrace& trace, const std::string& place) {
  ConsumeFacts facts;
  std::vector<TracedShape> shapes;
  for (const Reader& reader : readers_in(trace, place)) add_launch(reader, facts, shapes);
  if (!facts.reads_received || !facts.obstacle.empty()) return facts;
  std::string difference = difference_at(trace.varying_received, place);
  if (!difference.empty()) facts.obstacle = concat("its blocks read other bytes ", difference);
  std::erase_if(
      shapes, [](const TracedShape& shape) { return !waits_for_less(shape) || shape.accesses.size() > kBlockUsesMax; });
  if (facts.obstacle.empty() && shapes.empty()) facts.obstacle = "every block of it reads all that it gets";
  if (!facts.obstacle.empty()) return facts;
  for (const std::vector<AccessTrace>* runs : {&trace.repeats, &trace.further})
    for (const AccessTrace& other : *runs) drop_other_numbers(shapes, other, place);
  for (const TracedShape& shape : shapes) facts.forms.push_back(exactly(shape));
  generalise(facts, shapes, trace, place);
  if (trace.is_case) facts.obstacle = facts.unsized;
  return facts;
}

}  // namespace cuco::rewrite
