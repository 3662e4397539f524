#include "rewrite/evidence/fuse_facts.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "footprint/block_accesses.h"

namespace cuco::rewrite {

namespace {

using footprint::equal_tiles;

struct Traced {
  const TracedLaunch* launch = nullptr;
  const TracedCall* call = nullptr;
};

// The last launch before step `call`, when it is at the place.
const TracedLaunch* launch_before(const std::vector<TracedStep>& steps, size_t call, const std::string& place) {
  for (size_t i = call; i-- > 0;)
    if (steps[i].is_launch) return same_place(steps[i].place, place) ? &steps[i].launch : nullptr;
  return nullptr;
}

bool reduces(const TracedCall& call) { return model::is_reduction(call.collective); }

std::vector<Traced> traced_pairs(const AccessTrace& trace, const std::string& call, const std::string& launch) {
  std::vector<Traced> pairs;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (size_t i = 0; i < steps.size(); i++)
      if (!steps[i].is_launch && same_place(steps[i].place, call) && sent_by(steps[i].call))
        pairs.push_back({launch_before(steps, i, launch), &steps[i].call});
  // A reduction that another launch comes before is done in the same parts by a kernel of its own.
  std::erase_if(pairs, [](const Traced& one) { return !one.launch && reduces(*one.call); });
  return pairs;
}

std::string obstacle_in(const std::vector<Traced>& pairs, const std::string& kernel) {
  const Traced& first = pairs.front();
  for (const Traced& one : pairs) {
    if (!one.launch) return concat("a call is not preceded by ", kernel);
    if (one.launch->grid != first.launch->grid || one.launch->block != first.launch->block ||
        one.call->bytes != first.call->bytes)
      return concat("launches of ", kernel, " or the messages after them differ between ranks or rounds");
  }
  return "";
}

bool points_to_begin(const model::TracedPointer& pointer, const Sent& sent) {
  uint64_t begin = *std::ranges::min_element(sent.offsets);
  return pointer.field == 0 && pointer.buffer == sent.buffer && pointer.offset == begin;
}

// The kernel's parameter that in all launches points to where the messages begin.
std::optional<uint32_t> source_parameter(const std::vector<Traced>& pairs) {
  auto is_source = [](const Traced& one, uint32_t parameter) {
    return std::ranges::any_of(one.launch->pointers, [&](const model::TracedPointer& pointer) {
      return pointer.parameter == parameter && points_to_begin(pointer, *sent_by(*one.call));
    });
  };
  for (const model::TracedPointer& pointer : pairs.front().launch->pointers)
    if (std::ranges::all_of(pairs, [&](const Traced& one) { return is_source(one, pointer.parameter); }))
      return pointer.parameter;
  return std::nullopt;
}

// Blocks can store a message of their own only where all messages have one source.
Access tiles_before(const TracedLaunch& launch, const TracedCall& call) {
  std::optional<Sent> sent = sent_by(call);
  if (!sent || sent->offsets.size() != 1) return {};
  return equal_tiles(launch, sent->buffer, sent->offsets[0], sent->bytes);
}

Access common_tiles(const std::vector<Traced>& pairs) {
  std::optional<Access> all;
  for (const Traced& one : pairs) {
    Access tiles = tiles_before(*one.launch, *one.call);
    if (all && *all != tiles) return {};
    all = tiles;
  }
  return all.value_or(Access{});
}

// Of the first tiles of all runs with several pieces; 0 where there are none.
int64_t piece_bytes_in(const AccessTrace& trace, const std::string& place, const std::string& launch) {
  for (const Traced& one : traced_pairs(trace, place, launch)) {
    Access tiles = one.launch ? tiles_before(*one.launch, *one.call) : Access{};
    if (tiles.count > 1) return tiles.bytes;
  }
  for (const AccessTrace& other : trace.further)
    if (int64_t bytes = piece_bytes_in(other, place, launch)) return bytes;
  return 0;
}

// At all sizes, if the tiles have one form at all of them. Without any tiles the parts are all that has to hold.
void generalise(FuseFacts& facts, const AccessTrace& trace, const std::string& place) {
  facts.at_other_sizes = !facts.tiles.has_rule();
  if (facts.at_other_sizes) return;
  int64_t piece_bytes = piece_bytes_in(trace, place, facts.slices.launch);
  std::optional<AccessTerms> tiles =
      access_over(trace, place, facts.slices, [&](const TracedLaunch& launch, const TracedCall& call) {
        Access one = tiles_before(launch, call);
        split_run(one, piece_bytes);
        return one;
      });
  facts.at_other_sizes = tiles.has_value();
  if (tiles) facts.tiles = std::move(*tiles);
}

}  // namespace

FuseFacts fuse_facts(const AccessTrace& trace, const std::string& place, uint64_t chunk_bytes, Path path) {
  FuseFacts facts;
  facts.slices = slice_facts(
      trace, place,
      {chunk_bytes, kFusedPartsMax, Alike::Senders, path == Path::Network ? Pieces::Apart : Pieces::Packed});
  facts.obstacle = facts.slices.obstacle;
  if (!facts.obstacle.empty()) return facts;
  std::vector<Traced> pairs = traced_pairs(trace, place, facts.slices.launch);
  facts.obstacle = obstacle_in(pairs, facts.slices.kernel);
  std::optional<uint32_t> source = facts.obstacle.empty() ? source_parameter(pairs) : std::nullopt;
  if (facts.obstacle.empty() && !source)
    facts.obstacle = concat(facts.slices.kernel, " gets no pointer to where the messages begin");
  if (!facts.obstacle.empty()) return facts;
  facts.source_parameter = *source;
  facts.grid = pairs.front().launch->grid;
  facts.block = pairs.front().launch->block;
  facts.message_bytes = pairs.front().call->bytes;
  facts.guarded_bytes = guarded_bytes(*pairs.front().call);
  facts.element_bytes = pairs.front().call->element_bytes;
  if (!reduces(*pairs.front().call)) facts.tiles = exactly(common_tiles(pairs));
  if (facts.slices.at_other_sizes) generalise(facts, trace, place);
  // Without its tiles the last block of a part stores all of it, which needs the parts alone.
  if (trace.is_case && !facts.at_other_sizes) facts.tiles = {}, facts.at_other_sizes = true;
  return facts;
}

}  // namespace cuco::rewrite
