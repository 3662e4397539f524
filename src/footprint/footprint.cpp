#include "footprint/footprint.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace cuco::footprint {

namespace {

using model::AccessTrace;
using model::TracedCall;
using model::TracedStep;

using LaunchId = std::pair<uint32_t, uint32_t>;  // Rank and round.
using Groups = std::vector<std::pair<std::vector<LaunchId>, Samples>>;

LaunchId launch_of(const Sample& sample) { return {sample.toucher.rank, sample.toucher.round}; }

template <typename KeyOf>
Groups grouped(const std::vector<Sample>& samples, KeyOf key_of) {
  std::map<LaunchId, size_t> index;
  Groups groups;
  for (const Sample& sample : samples) {
    auto [known, fresh] = index.try_emplace(key_of(launch_of(sample)), groups.size());
    if (fresh) groups.emplace_back();
    auto& [launches, members] = groups[known->second];
    if (launches.empty() || launches.back() != launch_of(sample)) launches.push_back(launch_of(sample));
    members.push_back(&sample);
  }
  return groups;
}

// From one form for everything to one for each launch.
std::vector<Groups> groupings_of(const std::vector<Sample>& samples) {
  return {grouped(samples, [](LaunchId) { return LaunchId{}; }),
          grouped(samples,
                  [](LaunchId launch) {
                    return LaunchId{0, launch.second};
                  }),
          grouped(samples,
                  [](LaunchId launch) {
                    return LaunchId{launch.first, 0};
                  }),
          grouped(samples, [](LaunchId launch) { return launch; })};
}

// Every group by a form of its own, or nothing; the obstacle is that of the first group without one.
std::vector<FoldedPart> fold_groups(const Groups& groups, std::string& obstacle) {
  std::vector<FoldedPart> parts;
  for (const auto& [launches, samples] : groups) {
    Folded folded = fold(samples);
    if (!folded.form) {
      obstacle = folded.obstacle;
      return {};
    }
    parts.push_back({launches, *folded.form});
  }
  return parts;
}

void fold_touch(Footprint& footprint) {
  if (!footprint.touch.is_exact) {
    footprint.obstacle = "some block leaves so many holes that only its bounds are known";
    return;
  }
  for (const Groups& groups : groupings_of(footprint.touch.samples)) {
    footprint.parts = fold_groups(groups, footprint.obstacle);
    if (footprint.parts.empty()) continue;
    footprint.obstacle.clear();
    return;
  }
}

void count_bytes(Footprint& footprint) {
  const std::vector<Sample>& samples = footprint.touch.samples;
  for (const auto& [launches, members] : grouped(samples, [](LaunchId launch) { return launch; })) {
    std::vector<const ByteRanges*> sets;
    ByteRanges all;
    for (const Sample* sample : members) {
      sets.push_back(&sample->bytes);
      all.insert(all.end(), sample->bytes.begin(), sample->bytes.end());
    }
    footprint.bytes = std::max(footprint.bytes, byte_count(normalised(std::move(all))));
    footprint.overlap_bytes = std::max(footprint.overlap_bytes, byte_count(shared_bytes(sets)));
  }
  uint64_t blocks = uint64_t{footprint.touch.grid[0]} * footprint.touch.grid[1] * footprint.touch.grid[2];
  footprint.all_touch_same = blocks > 1 && std::ranges::all_of(samples, [&](const Sample& sample) {
                               return sample.bytes == samples.front().bytes;
                             });
}

bool is_same_touch(const Touch& a, const Touch& b) {
  return a.launch == b.launch && a.grid == b.grid && a.buffer == b.buffer && a.written == b.written;
}

ByteRange sent_by(const TracedCall& call) {
  uint64_t messages = model::messages_sent(call.collective, call.rank, call.peer, call.rank_count);
  if (!call.send.used || messages == 0) return {};
  return {call.send.offset, call.send.offset + messages * call.bytes};
}

// What launches write and calls bring, by buffer.
class WrittenBytes {
 public:
  void add(const TracedStep& step) {
    if (!step.is_launch) return add_received(step.call);
    for (const model::TracedBlock& block : step.launch.blocks)
      for (const model::Footprint& print : block.footprints)
        if (print.written) add(print.buffer, bytes_of(block, print.buffer, true).value_or(bounds(print)));
  }
  ByteRanges missing(uint32_t buffer, ByteRange wanted) {
    written_[buffer] = normalised(std::move(written_[buffer]));
    return difference({wanted}, written_[buffer]);
  }

 private:
  static ByteRanges bounds(const model::Footprint& print) { return {{print.begin, print.end()}}; }
  void add(uint32_t buffer, const ByteRanges& bytes) {
    written_[buffer].insert(written_[buffer].end(), bytes.begin(), bytes.end());
  }
  void add_received(const TracedCall& call) {
    uint64_t bytes = call.bytes * model::messages_received(call.collective, call.rank, call.peer, call.rank_count);
    if (call.receive.used) add(call.receive.buffer, {{call.receive.offset, call.receive.offset + bytes}});
  }

  std::map<uint32_t, ByteRanges> written_;
};

}  // namespace

std::vector<Footprint> footprints_of(const AccessTrace& trace, const std::vector<uint32_t>& buffers) {
  std::vector<Footprint> all;
  for (Touch& touch : touches_of(trace, buffers)) {
    Footprint footprint;
    footprint.touch = std::move(touch);
    fold_touch(footprint);
    count_bytes(footprint);
    all.push_back(std::move(footprint));
  }
  return all;
}

void refuse_differences(std::vector<Footprint>& footprints, const AccessTrace& other, const std::string& why) {
  std::set<uint32_t> buffers;
  for (const Footprint& footprint : footprints) buffers.insert(footprint.touch.buffer);
  std::vector<Touch> touches = touches_of(other, {buffers.begin(), buffers.end()});
  for (Footprint& footprint : footprints) {
    auto same =
        std::ranges::find_if(touches, [&](const Touch& touch) { return is_same_touch(touch, footprint.touch); });
    if (same != touches.end() && same->is_exact && same->samples == footprint.touch.samples) continue;
    if (same != touches.end() && !same->is_exact && !footprint.touch.is_exact) continue;
    footprint.parts.clear();
    footprint.obstacle = why;
  }
}

std::vector<UnwrittenSend> unwritten_sends(const AccessTrace& trace) {
  std::vector<UnwrittenSend> all;
  std::set<std::string> seen;
  for (uint32_t rank = 0; rank < trace.ranks.size(); rank++) {
    WrittenBytes written;
    for (const TracedStep& step : trace.ranks[rank]) {
      ByteRange sent = step.is_launch ? ByteRange{} : sent_by(step.call);
      ByteRanges missing = sent.size() > 0 ? written.missing(step.call.send.buffer, sent) : ByteRanges{};
      if (!missing.empty() && seen.insert(step.place).second)
        all.push_back({step.place, std::string(model::callee_of(step.call.collective)), rank, step.call.send.buffer,
                       std::move(missing)});
      written.add(step);
    }
  }
  return all;
}

}  // namespace cuco::footprint
