#include "footprint/touches.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cuco::footprint {

namespace {

using model::AccessTrace;
using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedStep;

using PlaceKey = std::tuple<LaunchKey, std::array<uint32_t, 3>>;  // With the grid.

struct Occurrence {
  const TracedLaunch* launch;
  uint32_t rank, round;
};

// The launches of every place, places in the order in which a rank first comes by them.
struct Places {
  std::vector<PlaceKey> order;
  std::map<PlaceKey, std::vector<Occurrence>> launches;
};

Places places_of(const AccessTrace& trace) {
  Places places;
  for (uint32_t rank = 0; rank < trace.ranks.size(); rank++) {
    std::map<PlaceKey, uint32_t> rounds;
    for (const TracedStep& step : trace.ranks[rank]) {
      if (!step.is_launch) continue;
      PlaceKey key{{step.place, step.launch.kernel}, step.launch.grid};
      if (!places.launches.contains(key)) places.order.push_back(key);
      places.launches[key].push_back({&step.launch, rank, rounds[key]++});
    }
  }
  return places;
}

bool touches(const TracedLaunch& launch, uint32_t buffer, bool written) {
  return std::ranges::any_of(launch.blocks, [&](const TracedBlock& block) {
    return std::ranges::any_of(
        block.footprints, [&](const Footprint& print) { return print.buffer == buffer && print.written == written; });
  });
}

bool reads_what_it_writes(const TracedBlock& block, uint32_t buffer, const ByteRanges& written) {
  std::optional<ByteRanges> read = bytes_of(block, buffer, false);
  return read && !intersection(*read, written).empty();
}

void add_block(const TracedBlock& block, const Toucher& toucher, Touch& touch) {
  touch.elsewhere = touch.elsewhere || block.reaches_elsewhere;
  bool updated = std::binary_search(block.updated.begin(), block.updated.end(), touch.buffer);
  touch.by_atomics = touch.by_atomics || updated;
  std::optional<ByteRanges> bytes = bytes_of(block, touch.buffer, touch.written);
  if (!bytes) {
    touch.is_exact = false;
    return;
  }
  touch.in_place = touch.in_place || (touch.written && reads_what_it_writes(block, touch.buffer, *bytes));
  touch.samples.push_back({toucher, std::move(*bytes)});
}

void add_launch(const Occurrence& each, Touch& touch) {
  for (uint64_t i = 0; i < each.launch->blocks.size(); i++) {
    const TracedBlock& block = each.launch->blocks[i];
    add_block(block, {block.index, i, each.rank, each.round}, touch);
  }
}

Touch touch_of(const PlaceKey& key, const std::vector<Occurrence>& launches, uint32_t buffer, bool written) {
  Touch touch;
  touch.launch = std::get<LaunchKey>(key);
  touch.grid = launches.front().launch->grid;
  touch.threads = launches.front().launch->block;
  touch.buffer = buffer;
  touch.written = written;
  std::set<uint32_t> ranks;
  for (const Occurrence& each : launches) {
    ranks.insert(each.rank);
    touch.round_count = std::max(touch.round_count, each.round + 1);
    if (touches(*each.launch, buffer, written)) add_launch(each, touch);
  }
  touch.rank_count = static_cast<uint32_t>(ranks.size());
  return touch;
}

}  // namespace

std::vector<uint32_t> communicated_buffers(const AccessTrace& trace) {
  std::set<uint32_t> buffers;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (const TracedStep& step : steps)
      for (const model::TracedPlace& place : {step.call.send, step.call.receive})
        if (!step.is_launch && place.used) buffers.insert(place.buffer);
  for (const std::vector<model::TracedBuffer>& all : trace.buffers)
    for (uint32_t i = 0; i < all.size(); i++)
      if (all[i].origin.starts_with("ncclMemAlloc")) buffers.insert(i);
  return {buffers.begin(), buffers.end()};
}

std::vector<Touch> touches_of(const AccessTrace& trace, const std::vector<uint32_t>& buffers) {
  std::vector<Touch> all;
  Places places = places_of(trace);
  for (const PlaceKey& key : places.order)
    for (uint32_t buffer : buffers)
      for (bool written : {false, true}) {
        Touch touch = touch_of(key, places.launches[key], buffer, written);
        if (!touch.samples.empty() || !touch.is_exact) all.push_back(std::move(touch));
      }
  return all;
}

}  // namespace cuco::footprint
