// Whether the kernel before a communication call can be cut into slices of its grid, so that a part of every message
// can leave while the rest is computed. How many slices and along which dimension is decided by the traced run, which
// is of the size that the user runs where the trace is_case. Which blocks write which bytes holds for launches of that
// shape, and where further sizes show the same for others.
//
// A grid is cut along one dimension. The blocks with one index of it are a unit, and a unit owns the same share of
// every message: a run of whole rows (unit i of n owns bytes [i, i + 1) / n of the message), or, where the dimension
// runs along the rows, `piece_bytes` of each row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rewrite/words.h"

namespace cuco::rewrite {

constexpr uint32_t kSlicesMax = 8;  // As many as two ranks can have messages open.

struct Cut {
  int dimension = 0;         // 0 for x.
  uint64_t piece_bytes = 0;  // Of a row of the message; 0: units own whole rows.

  bool operator==(const Cut&) const = default;
};

struct SliceFacts {
  std::string obstacle;  // Why nothing can be cut, as the end of a sentence; empty when it can.
  std::string launch;    // Place of the launch, "file:line".
  std::string kernel;
  Cut cut;
  uint32_t unit_count = 1;
  uint32_t slice_count = 1;
  // At which launches, and for messages of what size, the cut holds: where two further sizes show the same, for all
  // whose numbers have to do with each other as in the traced ones, else for exactly those. Numbers that differ between
  // ranks have no say, since all ranks must decide alike.
  bool at_other_sizes = false;
  footprint::LaunchGuard guard = {};
  footprint::Term message_bytes = {};  // As guarded_bytes has them.
};

// Which ranks have to cut alike: all that make the call, or those that send something by it.
enum class Alike : uint8_t { All, Senders };

// How the pieces of rows that a part has travel: put together, or each by itself, so that few whole rows are better.
enum class Pieces : uint8_t { Packed, Apart };

// Messages in chunks of about so many bytes, `count_max` of them at most.
struct CutWish {
  uint64_t chunk_bytes;
  uint32_t count_max = kSlicesMax;
  Alike alike = Alike::All;
  Pieces pieces = Pieces::Packed;
};

// The call at `place` ("file:line").
SliceFacts slice_facts(const AccessTrace& trace, const std::string& place, const CutWish& wish);

// Says where the cut of the calls at `place` holds, by all runs of the trace. An obstacle where a case has a cut that
// no other size shows.
void add_guard(SliceFacts& facts, const AccessTrace& trace, const std::string& place);

// What a launch has to know of the size of messages: that of one, and of a reduce-scatter, which cuts what it writes by
// the number of ranks, of all.
uint64_t guarded_bytes(const TracedCall& call);

// What a launch writes of the messages that it feeds; without a rule where it has no meaning.
using AccessOf = std::function<Access(const TracedLaunch&, const TracedCall&)>;

// The same by the numbers that the guard leaves free, in all runs of the trace; nothing where some launch has no rule,
// or no term gives them.
std::optional<AccessTerms> access_over(const AccessTrace& trace, const std::string& place, const SliceFacts& facts,
                                       const AccessOf& access_of);

// Whether units of the launch own such shares of what the call sends.
bool holds_for(const Cut& cut, const TracedLaunch& launch, const TracedCall& call);

// The launches that write what the call at `place` sends, each place once, cut along the slowest dimension with enough
// blocks for so many slices, whatever they write: for calls that follow the last slice. With an obstacle where a launch
// has one block.
std::vector<SliceFacts> feeding_launches(const AccessTrace& trace, const std::string& place, uint32_t slice_count);

// The messages of a call that leave from its send buffer.
struct Sent {
  uint32_t buffer = 0;
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;

  bool holds(const Footprint& print) const {
    return print.buffer == buffer && std::ranges::any_of(offsets, [&](uint64_t offset) {
             return print.begin < offset + bytes && offset < print.end();
           });
  }
};

// Nothing for a call that only receives.
std::optional<Sent> sent_by(const TracedCall& call);

// The same file by name, and the same line.
bool same_place(const std::string& a, const std::string& b);
// One run says which bytes blocks touch only where others say the same: when those at the place do not; else empty.
std::string difference_at(const std::vector<model::VaryingPlace>& varying, const std::string& place);

// Those of the traced size, with true, then those of others.
template <typename Add>
void for_each_run(const AccessTrace& trace, Add add) {
  add(trace, true);
  for (const AccessTrace& repeat : trace.repeats) add(repeat, true);
  for (const AccessTrace& other : trace.further) add(other, false);
}

}  // namespace cuco::rewrite
