#include "rewrite/evidence/consume_facts.h"

#include <algorithm>

#include "base/text.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using model::AccessTrace;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedNumber;
using model::TracedStep;

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
void widen(BlockUse& use, const BlockUse& other) {
  bool alike = use.bytes > 0 && other.bytes > 0 && use.dimension == other.dimension && use.blocks == other.blocks &&
               use.stride == other.stride;
  use.writes |= other.writes;
  if (!alike) {
    use = {.parameter = use.parameter, .field = use.field, .writes = use.writes};
    return;
  }
  int64_t end =
      std::max(use.offset + static_cast<int64_t>(use.bytes), other.offset + static_cast<int64_t>(other.bytes));
  use.offset = std::min(use.offset, other.offset);
  use.bytes = static_cast<uint64_t>(end - use.offset);
}

// Numbers that launches of one shape do not have in common are of no matter.
void keep_common(std::vector<TracedNumber>& numbers, const std::vector<TracedNumber>& others) {
  std::erase_if(numbers,
                [&](const TracedNumber& one) { return std::find(others.begin(), others.end(), one) == others.end(); });
}

BlockShape* with_extents(std::vector<BlockShape>& shapes, const TracedLaunch& like) {
  auto found = std::find_if(shapes.begin(), shapes.end(),
                            [&](const BlockShape& one) { return one.grid == like.grid && one.block == like.block; });
  return found == shapes.end() ? nullptr : &*found;
}

void add_shape(std::vector<BlockShape>& shapes, const TracedLaunch& launch, const std::vector<BlockUse>& uses) {
  BlockShape* known = with_extents(shapes, launch);
  if (!known) return shapes.push_back({launch.grid, launch.block, uses, launch.numbers});
  keep_common(known->numbers, launch.numbers);
  for (const BlockUse& use : uses) {
    auto own = std::find_if(known->uses.begin(), known->uses.end(), [&](const BlockUse& one) {
      return one.parameter == use.parameter && one.field == use.field;
    });
    if (own == known->uses.end())
      known->uses.push_back(use);
    else
      widen(*own, use);
  }
}

std::string obstacle_in(const TracedLaunch& launch) {
  for (const TracedBlock& block : launch.blocks) {
    if (block.reaches_elsewhere) return "it writes memory that is no buffer of its device";
    if (!block.updated.empty()) return "its blocks change memory by atomic operations";
  }
  return "";
}

void add_launch(const Reader& reader, ConsumeFacts& facts) {
  LaunchUses found = block_uses(*reader.launch, reader.received, Rules::WorthWaiting);
  if (found.uses.empty() && found.obstacle.empty()) return;
  facts.reads_received = true;
  facts.kernel = reader.launch->kernel;
  if (found.obstacle.empty()) found.obstacle = obstacle_in(*reader.launch);
  if (facts.obstacle.empty()) facts.obstacle = found.obstacle;
  if (facts.obstacle.empty()) add_shape(facts.shapes, *reader.launch, found.uses);
}

// Launches of other runs with the same grid that touch the same show which of their numbers are of no matter.
void drop_other_numbers(ConsumeFacts& facts, const AccessTrace& trace, const std::string& place) {
  for (const Reader& reader : readers_in(trace, place)) {
    BlockShape* known = with_extents(facts.shapes, *reader.launch);
    if (known && block_uses(*reader.launch, reader.received, Rules::WorthWaiting).uses == known->uses)
      keep_common(known->numbers, reader.launch->numbers);
  }
}

bool waits_for_less(const BlockShape& shape) {
  return std::any_of(shape.uses.begin(), shape.uses.end(), [](const BlockUse& use) { return use.bytes > 0; });
}

// One run says which bytes blocks read only where other runs say the same.
std::string varying_obstacle(const AccessTrace& trace, const std::string& place) {
  for (const model::VaryingPlace& one : trace.varying_received)
    if (same_place(one.place, place)) return concat("its blocks read other bytes ", one.difference);
  return "";
}

// Adds the launches of a run that touch what is received; why one of them says nothing.
std::string add_samples(std::vector<ReadSample>& samples, const AccessTrace& trace, const std::string& place) {
  for (const Reader& reader : readers_in(trace, place)) {
    LaunchUses found = block_uses(*reader.launch, reader.received, Rules::All);
    if (found.uses.empty() && found.obstacle.empty()) continue;
    std::string obstacle = found.obstacle.empty() ? obstacle_in(*reader.launch) : found.obstacle;
    if (!obstacle.empty()) return concat("at another size ", obstacle);
    samples.push_back({reader.launch, std::move(found.uses)});
  }
  return "";
}

void generalise(ConsumeFacts& facts, const AccessTrace& trace, const std::string& place) {
  std::vector<ReadSample> own, further;
  facts.unsized = add_samples(own, trace, place);
  for (const AccessTrace& repeat : trace.repeats)
    if (facts.unsized.empty()) facts.unsized = add_samples(own, repeat, place);
  for (const AccessTrace& other : trace.further)
    if (facts.unsized.empty()) facts.unsized = add_samples(further, other, place);
  if (!facts.unsized.empty()) return;
  Result<WaitShape> sized = sized_waits(facts.shapes, std::move(own), std::move(further));
  if (sized)
    facts.sized = std::move(*sized);
  else
    facts.unsized = sized.error().message;
}

}  // namespace

ConsumeFacts consume_facts(const AccessTrace& trace, const std::string& place) {
  ConsumeFacts facts;
  for (const Reader& reader : readers_in(trace, place)) add_launch(reader, facts);
  if (!facts.reads_received || !facts.obstacle.empty()) return facts;
  facts.obstacle = varying_obstacle(trace, place);
  std::erase_if(facts.shapes,
                [](const BlockShape& shape) { return !waits_for_less(shape) || shape.uses.size() > kBlockUsesMax; });
  if (facts.obstacle.empty() && facts.shapes.empty()) facts.obstacle = "every block of it reads all that it gets";
  if (!facts.obstacle.empty()) return facts;
  for (const std::vector<AccessTrace>* runs : {&trace.repeats, &trace.further})
    for (const AccessTrace& other : *runs) drop_other_numbers(facts, other, place);
  generalise(facts, trace, place);
  return facts;
}

}  // namespace cuco::rewrite
