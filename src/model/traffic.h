// What ranks were seen to move to each other in a run of a program: how many bytes, from whom to whom, by whom and how.
// Bytes that a rank passes on count once for each hop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuco::model {

// Host: collectives and sends that the host asks NCCL for. Lsa: loads, stores and multimem of kernels on a peer's
// memory. Gin: puts and gets of kernels. Copy: the host's copies from one device to another. Mpi: the payload of its
// messages.
enum class Carrier : uint8_t { Host, Lsa, Gin, Copy, Mpi };

std::string_view name_of(Carrier carrier);
std::optional<Carrier> find_carrier(std::string_view name);

inline bool is_device_initiated(Carrier carrier) { return carrier == Carrier::Lsa || carrier == Carrier::Gin; }
inline bool is_nccl(Carrier carrier) { return carrier == Carrier::Host || is_device_initiated(carrier); }

struct Transfer {
  int from = 0, to = 0;  // Ranks, by their devices.
  Carrier carrier = Carrier::Host;
  std::string what;   // The kernel's name, or the call's.
  std::string place;  // FILE:LINE of its launch or of the call; may be empty.
  uint64_t bytes = 0;

  bool operator==(const Transfer&) const = default;
};

struct Traffic {
  uint32_t calls = 1;  // Of the region; 1 for a program without a harness.
  std::vector<Transfer> transfers;

  bool operator==(const Traffic&) const = default;
};

using RankPair = std::pair<int, int>;  // From, to.
using IsCounted = std::function<bool(const Transfer&)>;

// "kernel NAME launched at PLACE", "NAME at PLACE".
std::string mover_text(const Transfer& transfer);

uint64_t bytes_between(const Traffic& traffic, RankPair pair, const IsCounted& counts);

// The pairs between which transfers that count go, in order.
std::set<RankPair> pairs_of(const Traffic& traffic, const IsCounted& counts);

// The same with all ranks that bytes of a rank can have come to by way of others.
std::set<RankPair> with_relays(std::set<RankPair> pairs);

// In one line: {"calls": N, "moved": [{"by": CARRIER, "what": ..., "place": ..., "bytes": [[FROM, TO, BYTES], ...]},
// ...]}
std::string to_json(const Traffic& traffic);
// Nothing of a text that is none.
Traffic traffic_from_json(const std::string& text);

}  // namespace cuco::model
