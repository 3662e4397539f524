#include "rewrite/fuse_facts.h"

#include <optional>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using model::TracedLaunch;
using model::TracedStep;

struct Traced {
  const TracedLaunch* launch = nullptr;
  uint64_t bytes = 0;
};

// The last launch at the place before step `call`.
const TracedLaunch* launch_before(const std::vector<TracedStep>& steps, size_t call, const std::string& place) {
  for (size_t i = call; i-- > 0;)
    if (steps[i].is_launch && same_place(steps[i].place, place)) return &steps[i].launch;
  return nullptr;
}

std::vector<Traced> traced_pairs(const model::AccessTrace& trace, const std::string& call, const std::string& launch) {
  std::vector<Traced> pairs;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (size_t i = 0; i < steps.size(); i++)
      if (!steps[i].is_launch && same_place(steps[i].place, call) && steps[i].call.name != "ncclRecv")
        pairs.push_back({launch_before(steps, i, launch), steps[i].call.bytes});
  return pairs;
}

std::string obstacle_in(const std::vector<Traced>& pairs, const std::string& kernel) {
  const Traced& first = pairs.front();
  for (const Traced& one : pairs) {
    if (!one.launch) return concat("a call is not preceded by ", kernel);
    if (one.launch->grid != first.launch->grid || one.launch->block != first.launch->block || one.bytes != first.bytes)
      return concat("launches of ", kernel, " or the messages after them differ between ranks or rounds");
  }
  return "";
}

}  // namespace

FuseFacts fuse_facts(const model::AccessTrace& trace, const std::string& place, uint64_t chunk_bytes) {
  FuseFacts facts;
  facts.slices = slice_facts(trace, place, chunk_bytes);
  facts.obstacle = facts.slices.obstacle;
  if (!facts.obstacle.empty()) return facts;
  std::vector<Traced> pairs = traced_pairs(trace, place, facts.slices.launch);
  facts.obstacle = obstacle_in(pairs, facts.slices.kernel);
  if (!facts.obstacle.empty()) return facts;
  facts.grid = pairs.front().launch->grid;
  facts.block = pairs.front().launch->block;
  facts.message_bytes = pairs.front().bytes;
  return facts;
}

}  // namespace cuco::rewrite
