#include "rewrite/evidence/slice_facts.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using model::TracedPlace;

constexpr int kDimensions = 3;

// Bytes that the call writes here while it runs, without what it leaves in place.
bool receives_into(const TracedCall& call, const Footprint& print) {
  if (!call.receive.used || print.buffer != call.receive.buffer) return false;
  bool from_all = model::traits_of(call.collective).receives_from_each;
  uint64_t begin = call.receive.offset, own = begin + static_cast<uint64_t>(call.rank) * call.bytes;
  uint64_t end = begin + call.bytes * static_cast<uint64_t>(from_all ? call.rank_count : 1);
  if (call.collective == Collective::Broadcast && call.rank == call.peer && call.send == call.receive) return false;
  bool in_place = call.send.used && call.send.buffer == call.receive.buffer && call.send.offset == own;
  if (in_place && from_all && print.begin >= own && print.end() <= own + call.bytes) return false;
  return print.begin < end && begin < print.end();
}

bool reduces_in_place(const TracedCall& call) {
  if (!call.send.used || !call.receive.used || call.send.buffer != call.receive.buffer) return false;
  bool scatters = call.collective == Collective::ReduceScatter;
  uint64_t own = scatters ? static_cast<uint64_t>(call.rank) * call.bytes : 0;
  return model::is_reduction(call.collective) && call.receive.offset == call.send.offset + own;
}

// The share that unit `unit` of `count` owns holds the footprint.
bool owns_rows(const Footprint& print, uint64_t offset, uint64_t bytes, uint64_t unit, uint64_t count) {
  if (bytes % count != 0) return false;
  uint64_t share = bytes / count;
  return print.begin >= offset + unit * share && print.end() <= offset + (unit + 1) * share;
}

bool owns_columns(const Footprint& print, uint64_t offset, uint64_t pitch, uint64_t unit, uint64_t piece_bytes) {
  if (!print.exact || (print.count > 1 && print.stride % pitch != 0)) return false;
  // A block may begin in a message before this one.
  uint64_t column = (print.begin % pitch + pitch - offset % pitch) % pitch;
  return column >= unit * piece_bytes && column + print.piece_bytes <= (unit + 1) * piece_bytes;
}

struct Messages {
  uint32_t buffer;
  const std::vector<uint64_t>& offsets;
  uint64_t bytes;
  bool in_place;  // Results come back to where they left from.

  bool holds(const Footprint& print, uint64_t offset) const {
    return print.buffer == buffer && print.begin < offset + bytes && offset < print.end();
  }
};

// Whatever a block writes of a message belongs to its unit; where results come in place, what it reads as well.
template <typename Owns>
bool every_block(const TracedLaunch& launch, const Messages& messages, int dimension, Owns owns) {
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints)
      for (uint64_t offset : messages.offsets) {
        bool counts = messages.holds(print, offset) && (print.written || messages.in_place);
        if (counts && !owns(print, offset, block.index[static_cast<size_t>(dimension)])) return false;
      }
  return true;
}

// The distance of rows, as blocks leave them; 0 when none writes more than one piece.
uint64_t pitch_of(const TracedLaunch& launch, const Messages& messages) {
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints)
      if (print.written && print.buffer == messages.buffer && print.exact && print.count > 1) return print.stride;
  return 0;
}

std::optional<Cut> cut_by_rows(const TracedLaunch& launch, const Messages& messages, int dimension) {
  uint64_t units = launch.grid[static_cast<size_t>(dimension)];
  bool fits = every_block(launch, messages, dimension, [&](const Footprint& print, uint64_t offset, uint64_t unit) {
    return owns_rows(print, offset, messages.bytes, unit, units);
  });
  return fits ? std::optional(Cut{dimension, 0}) : std::nullopt;
}

std::optional<Cut> cut_by_columns(const TracedLaunch& launch, const Messages& messages, int dimension) {
  uint64_t units = launch.grid[static_cast<size_t>(dimension)], pitch = pitch_of(launch, messages);
  if (pitch == 0 || pitch % units != 0 || messages.bytes % pitch != 0) return std::nullopt;
  uint64_t piece_bytes = pitch / units;
  bool fits = every_block(launch, messages, dimension, [&](const Footprint& print, uint64_t offset, uint64_t unit) {
    return owns_columns(print, offset, pitch, unit, piece_bytes);
  });
  return fits ? std::optional(Cut{dimension, piece_bytes}) : std::nullopt;
}

// Neither moves what the other writes, as is true of the calls of one group.
bool are_apart(const TracedCall& a, const TracedCall& b) {
  auto meet = [](const TracedPlace& one, const TracedPlace& other) {
    return one.used && other.used && one.buffer == other.buffer;
  };
  return !meet(a.receive, b.send) && !meet(a.send, b.receive);
}

const TracedStep* step_before(const std::vector<TracedStep>& steps, size_t call) {
  for (size_t i = call; i-- > 0;) {
    if (steps[i].stream != steps[call].stream) continue;
    if (steps[i].is_launch || !are_apart(steps[i].call, steps[call].call)) return &steps[i];
  }
  return nullptr;
}

std::string obstacle_in(const TracedLaunch& launch, const TracedCall& call, const Sent& sent) {
  bool feeds = false;
  for (const TracedBlock& block : launch.blocks) {
    if (block.reaches_elsewhere) return concat(launch.kernel, " writes memory that is no buffer of its device");
    for (const Footprint& print : block.footprints) {
      feeds = feeds || (print.written && sent.holds(print));
      if (receives_into(call, print) && !reduces_in_place(call))
        return concat(launch.kernel, " touches what the call receives into");
    }
  }
  return feeds ? "" : concat(launch.kernel, ", which comes before the call, writes nothing of what it sends");
}

uint32_t slice_count_for(uint64_t bytes, const CutWish& wish) {
  uint64_t chunks = (bytes + wish.chunk_bytes - 1) / wish.chunk_bytes;
  return static_cast<uint32_t>(std::clamp<uint64_t>(chunks, 2, wish.count_max));
}

std::optional<Cut> find_cut(const TracedLaunch& launch, const Sent& sent, bool in_place, uint32_t slice_count,
                            Pieces pieces) {
  Messages messages{sent.buffer, sent.offsets, sent.bytes, in_place};
  std::optional<Cut> coarse;
  // Whole rows are one piece of memory, so they come first, but two or three units leave little to overlap.
  for (bool by_rows : {true, false}) {
    if (coarse && pieces == Pieces::Apart) break;
    for (int dimension = kDimensions - 1; dimension >= 0; dimension--) {
      uint32_t units = launch.grid[static_cast<size_t>(dimension)];
      if (units < 2) continue;
      std::optional<Cut> cut =
          by_rows ? cut_by_rows(launch, messages, dimension) : cut_by_columns(launch, messages, dimension);
      if (cut && units >= slice_count) return cut;
      if (cut && (!coarse || units > launch.grid[static_cast<size_t>(coarse->dimension)])) coarse = cut;
    }
  }
  return coarse;
}

// What one call of one rank allows.
SliceFacts facts_of_call(const std::vector<TracedStep>& steps, size_t at, const CutWish& wish) {
  SliceFacts facts;
  const TracedCall& call = steps[at].call;
  std::optional<Sent> sent = sent_by(call);
  const TracedStep* before = step_before(steps, at);
  if (!sent || !before || !before->is_launch) {
    facts.obstacle = "no kernel comes right before the call";
    return facts;
  }
  facts.launch = before->place;
  facts.kernel = before->launch.kernel;
  facts.obstacle = obstacle_in(before->launch, call, *sent);
  if (!facts.obstacle.empty()) return facts;
  facts.slice_count = slice_count_for(call.bytes, wish);
  std::optional<Cut> cut = find_cut(before->launch, *sent, reduces_in_place(call), facts.slice_count, wish.pieces);
  if (cut) {
    facts.cut = *cut;
    facts.unit_count = before->launch.grid[static_cast<size_t>(cut->dimension)];
  } else
    facts.obstacle =
        concat("no dimension of the grid of ", facts.kernel, " goes through every message from its begin to its end");
  return facts;
}

bool agree(const SliceFacts& a, const SliceFacts& b) {
  return same_place(a.launch, b.launch) && a.cut == b.cut && a.unit_count == b.unit_count &&
         a.slice_count == b.slice_count;
}

SliceFacts refused(std::string obstacle) {
  SliceFacts facts;
  facts.obstacle = std::move(obstacle);
  return facts;
}

// A call that another launch comes before leaves whole, on all ranks alike.
bool leaves_whole(const SliceFacts& call, const SliceFacts& cut) {
  return !call.obstacle.empty() && !same_place(call.launch, cut.launch);
}

// The calls at one place that one rank makes.
struct RankCalls {
  const std::vector<TracedStep>& steps;
  std::vector<size_t> at;
  std::vector<SliceFacts> facts;
  bool leaves_some_out = false;  // Then those of different ranks do not belong together one by one.
};

template <typename FactsOf>
RankCalls calls_of(const std::vector<TracedStep>& steps, const std::string& place, Alike alike, FactsOf facts_of) {
  RankCalls calls{steps, {}, {}};
  for (size_t i = 0; i < steps.size(); i++) {
    if (steps[i].is_launch || !same_place(steps[i].place, place) || steps[i].call.collective == Collective::Recv)
      continue;
    if (alike == Alike::Senders && !sent_by(steps[i].call)) {
      calls.leaves_some_out = true;
      continue;
    }
    calls.at.push_back(i);
    calls.facts.push_back(facts_of(i));
  }
  return calls;
}

// Whether slices may still wait for the call that they feed when one comes that they do not feed, which would take them
// for its own. The steps may be gone through again and again.
bool takes_slices_of_another(const RankCalls& calls, const SliceFacts& cut) {
  bool waiting = false;
  for (size_t turn = 0, next = 0; turn < 2; turn++, next = 0)
    for (size_t i = 0; i < calls.steps.size(); i++) {
      waiting = waiting || (calls.steps[i].is_launch && same_place(calls.steps[i].place, cut.launch));
      if (next == calls.at.size() || calls.at[next] != i) continue;
      if (leaves_whole(calls.facts[next++], cut) && waiting) return true;
      waiting = false;
    }
  return false;
}

// The first obstacle to cutting all calls of a rank as those of the first rank are.
std::string obstacle_to(const SliceFacts& cut, const RankCalls& calls, const RankCalls& first) {
  for (size_t i = 0; i < calls.facts.size(); i++) {
    const SliceFacts& call = calls.facts[i];
    bool whole = leaves_whole(call, cut);
    if (!whole && !call.obstacle.empty()) return call.obstacle;
    bool in_step = i < first.facts.size() && leaves_whole(first.facts[i], cut) == whole;
    bool alike = whole || agree(call, cut);
    if (!alike || !(in_step || calls.leaves_some_out))
      return "the kernel before the call is not the same, or not cut alike, on all ranks and rounds";
  }
  if (!takes_slices_of_another(calls, cut)) return "";
  return concat(cut.kernel, " also runs before a call that it does not feed");
}

SliceFacts agreed_facts(const std::vector<RankCalls>& ranks) {
  auto first = std::ranges::find_if(ranks, [](const RankCalls& calls) { return !calls.facts.empty(); });
  if (first == ranks.end()) return refused("the traced run does not come by the call");
  auto cut = std::ranges::find_if(first->facts, [](const SliceFacts& call) { return call.obstacle.empty(); });
  if (cut == first->facts.end()) return first->facts.front();
  for (const RankCalls& calls : ranks)
    if (std::string obstacle = obstacle_to(*cut, calls, *first); !obstacle.empty()) return refused(obstacle);
  return *cut;
}

}  // namespace

bool same_place(const std::string& a, const std::string& b) {
  auto name = [](const std::string& place) { return place.substr(place.rfind('/') + 1); };
  return name(a) == name(b);
}

std::optional<Sent> sent_by(const TracedCall& call) {
  size_t messages = model::messages_sent(call.collective, call.rank, call.peer, call.rank_count);
  if (!call.send.used || messages == 0) return std::nullopt;
  Sent sent{call.send.buffer, {}, call.bytes};
  for (size_t i = 0; i < messages; i++) sent.offsets.push_back(call.send.offset + i * call.bytes);
  return sent;
}

std::string difference_at(const std::vector<model::VaryingPlace>& varying, const std::string& place) {
  auto found =
      std::ranges::find_if(varying, [&](const model::VaryingPlace& one) { return same_place(one.place, place); });
  return found == varying.end() ? "" : found->difference;
}

bool holds_for(const Cut& cut, const TracedLaunch& launch, const TracedCall& call) {
  std::optional<Sent> sent = sent_by(call);
  if (!sent || !obstacle_in(launch, call, *sent).empty()) return false;
  Messages messages{sent->buffer, sent->offsets, sent->bytes, reduces_in_place(call)};
  return cut == (cut.piece_bytes == 0 ? cut_by_rows(launch, messages, cut.dimension)
                                      : cut_by_columns(launch, messages, cut.dimension));
}

SliceFacts slice_facts(const AccessTrace& trace, const std::string& place, const CutWish& wish) {
  std::vector<RankCalls> ranks;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    ranks.push_back(calls_of(steps, place, wish.alike, [&](size_t at) { return facts_of_call(steps, at, wish); }));
  SliceFacts facts = agreed_facts(ranks);
  // Bytes that vary are a better reason than what one run shows of them.
  if (std::string difference = difference_at(trace.varying, facts.launch); !difference.empty())
    facts.obstacle = concat("blocks of ", facts.kernel, " write other bytes ", difference);
  if (facts.obstacle.empty()) add_guard(facts, trace, place);
  return facts;
}

}  // namespace cuco::rewrite
