#include "rewrite/evidence/fuse_facts.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

namespace {

using model::TracedLaunch;
using model::TracedStep;

using model::Footprint;
using model::TracedBlock;

struct Traced {
  const TracedLaunch* launch = nullptr;
  const model::TracedCall* call = nullptr;
};

// The last launch before step `call`, when it is at the place.
const TracedLaunch* launch_before(const std::vector<TracedStep>& steps, size_t call, const std::string& place) {
  for (size_t i = call; i-- > 0;)
    if (steps[i].is_launch) return same_place(steps[i].place, place) ? &steps[i].launch : nullptr;
  return nullptr;
}

bool reduces(const model::TracedCall& call) { return model::is_reduction(call.collective); }

std::vector<Traced> traced_pairs(const model::AccessTrace& trace, const std::string& call, const std::string& launch) {
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
  uint64_t begin = *std::min_element(sent.offsets.begin(), sent.offsets.end());
  return pointer.field == 0 && pointer.buffer == sent.buffer && pointer.offset == begin;
}

// The kernel's parameter that in all launches points to where the messages begin.
std::optional<uint32_t> source_parameter(const std::vector<Traced>& pairs) {
  auto is_source = [](const Traced& one, uint32_t parameter) {
    return std::any_of(one.launch->pointers.begin(), one.launch->pointers.end(),
                       [&](const model::TracedPointer& pointer) {
                         return pointer.parameter == parameter && points_to_begin(pointer, *sent_by(*one.call));
                       });
  };
  for (const model::TracedPointer& pointer : pairs.front().launch->pointers)
    if (std::all_of(pairs.begin(), pairs.end(), [&](const Traced& one) { return is_source(one, pointer.parameter); }))
      return pointer.parameter;
  return std::nullopt;
}

// What the block writes of the buffer, when it is one footprint that is known to the byte.
const Footprint* only_write(const TracedBlock& block, uint32_t buffer) {
  const Footprint* found = nullptr;
  for (const Footprint& print : block.footprints) {
    if (!print.written || print.buffer != buffer) continue;
    if (found || !print.exact) return nullptr;
    found = &print;
  }
  return found;
}

uint64_t begin_of(const TileForm& form, const std::array<uint32_t, 3>& index) {
  uint64_t begin = 0;
  for (size_t i = 0; i < 3; i++) begin += index[i] * form.steps[i];
  return begin;
}

// From the blocks next to the first one; that it holds for the others is to be seen.
TileForm guess_form(const TracedLaunch& launch, uint32_t buffer, uint64_t offset) {
  const Footprint* first = only_write(launch.blocks[0], buffer);
  if (!first || first->begin != offset) return {};
  TileForm form{{}, first->piece_bytes, first->count > 1 ? first->stride : 0, first->count};
  uint64_t linear = 1;
  for (size_t i = 0; i < 3; linear *= launch.grid[i], i++) {
    if (launch.grid[i] < 2) continue;
    const Footprint* next = linear < launch.blocks.size() ? only_write(launch.blocks[linear], buffer) : nullptr;
    if (!next || next->begin < offset) return {};
    form.steps[i] = next->begin - offset;
  }
  return form;
}

bool holds_for(const TileForm& form, const TracedBlock& block, uint32_t buffer, uint64_t offset) {
  const Footprint* print = only_write(block, buffer);
  return print && print->begin == offset + begin_of(form, block.index) && print->piece_bytes == form.piece_bytes &&
         print->count == form.count && (form.count == 1 || print->stride == form.stride);
}

// Pieces that lie one behind the other from 0 to `bytes`.
bool covers_once(const TileForm& form, const TracedLaunch& launch, uint64_t bytes) {
  std::vector<uint64_t> begins;
  for (const TracedBlock& block : launch.blocks)
    for (uint64_t i = 0; i < form.count; i++) begins.push_back(begin_of(form, block.index) + i * form.stride);
  std::sort(begins.begin(), begins.end());
  for (size_t i = 0; i < begins.size(); i++)
    if (begins[i] != i * form.piece_bytes) return false;
  return begins.size() * form.piece_bytes == bytes;
}

// Blocks can store a message of their own only where all messages have one source.
TileForm form_before(const TracedLaunch& launch, const model::TracedCall& call) {
  std::optional<Sent> sent = sent_by(call);
  if (!sent || sent->offsets.size() != 1) return {};
  return tile_form(launch, sent->buffer, sent->offsets[0], sent->bytes);
}

TileForm common_tiles(const std::vector<Traced>& pairs) {
  std::optional<TileForm> all;
  for (const Traced& one : pairs) {
    TileForm form = form_before(*one.launch, *one.call);
    if (all && *all != form) return {};
    all = form;
  }
  return all.value_or(TileForm{});
}

TileTerms exactly(const TileForm& form) {
  auto term = [](uint64_t value) { return Term{static_cast<int64_t>(value)}; };
  return {{term(form.steps[0]), term(form.steps[1]), term(form.steps[2])},
          term(form.piece_bytes),
          term(form.stride),
          term(form.count)};
}

// Of the first form of all runs with several pieces; 0 where there is none.
uint64_t piece_bytes_in(const model::AccessTrace& trace, const std::string& place, const std::string& launch) {
  for (const Traced& one : traced_pairs(trace, place, launch)) {
    TileForm form = one.launch ? form_before(*one.launch, *one.call) : TileForm{};
    if (form.count > 1) return form.piece_bytes;
  }
  for (const model::AccessTrace& other : trace.further)
    if (uint64_t bytes = piece_bytes_in(other, place, launch)) return bytes;
  return 0;
}

// A step along one block and the distance of one piece mean nothing.
std::optional<LaunchValues> values_of(const TracedLaunch& launch, const TileForm& form) {
  if (form.count == 0) return std::nullopt;
  LaunchValues values;
  auto add = [&](bool known, uint64_t value) {
    values.push_back(known ? std::optional(static_cast<int64_t>(value)) : std::nullopt);
  };
  for (size_t i = 0; i < 3; i++) add(launch.grid[i] > 1, form.steps[i]);
  add(true, form.piece_bytes);
  add(form.count > 1, form.stride);
  add(true, form.count);
  return values;
}

// At all sizes, if the tiles have one form at all of them. Without any tiles the parts are all that has to hold.
void generalise(FuseFacts& facts, const model::AccessTrace& trace, const std::string& place, const TileForm& tiles) {
  facts.at_other_sizes = tiles.count == 0;
  if (facts.at_other_sizes) return;
  uint64_t piece_bytes = piece_bytes_in(trace, place, facts.slices.launch);
  std::optional<std::vector<Term>> terms =
      terms_of(trace, place, facts.slices, [&](const TracedLaunch& launch, const model::TracedCall& call) {
        TileForm form = form_before(launch, call);
        split_run(form.piece_bytes, form.stride, form.count, piece_bytes);
        return values_of(launch, form);
      });
  if (!terms) return;
  facts.at_other_sizes = true;
  const std::vector<Term>& all = *terms;
  facts.tiles = {{all[0], all[1], all[2]}, all[3], all[4], all[5]};
}

}  // namespace

TileForm tile_form(const TracedLaunch& launch, uint32_t buffer, uint64_t offset, uint64_t bytes) {
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (launch.blocks.empty() || launch.blocks.size() != blocks) return {};
  TileForm form = guess_form(launch, buffer, offset);
  bool holds = form.count > 0 && std::all_of(launch.blocks.begin(), launch.blocks.end(), [&](const TracedBlock& block) {
                 return holds_for(form, block, buffer, offset);
               });
  return holds && covers_once(form, launch, bytes) ? form : TileForm{};
}

FuseFacts fuse_facts(const model::AccessTrace& trace, const std::string& place, uint64_t chunk_bytes, Path path) {
  FuseFacts facts;
  facts.slices = slice_facts(trace, place, chunk_bytes, kFusedPartsMax, Alike::Senders);
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
  TileForm tiles = reduces(*pairs.front().call) ? TileForm{} : common_tiles(pairs);
  facts.tiles = exactly(tiles);
  // Pieces of rows are puts of their own, and a larger message has many times as many rows.
  bool rows_apart = path == Path::Network && facts.slices.cut.piece_bytes > 0;
  if (facts.slices.guard.at_other_sizes && !rows_apart) generalise(facts, trace, place, tiles);
  return facts;
}

}  // namespace cuco::rewrite
