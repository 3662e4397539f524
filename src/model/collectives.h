// What each collective of NCCL means, as one table: who sends, who receives, what is in the buffers, how the bytes
// travel. Sends and receives are rows too. Everything that has to know one of these asks here.
//
// Buffers hold messages of `count` elements each, back to back: one for all ranks, or one for each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cuco::model {

enum class Collective : uint8_t {
  AllGather,
  AllReduce,
  ReduceScatter,
  Broadcast,
  Reduce,
  AlltoAll,
  Gather,
  Scatter,
  Send,
  Recv
};

// Which ranks of the communicator.
enum class Ranks : uint8_t { None, All, Root };

// How NCCL moves the bytes of a host call.
enum class Pattern : uint8_t {
  Ring,        // Every rank passes them on to the next.
  RingOrTree,  // Or they go up and down a tree, whichever is faster.
  Pairs,       // Straight from rank to rank.
};

struct CollectiveTraits {
  Collective collective;
  std::string_view callee;  // "ncclAllGather"
  std::string_view name;    // "all_gather"
  Ranks senders, receivers;
  bool sends_to_each;       // The send buffer has a message for each rank.
  bool receives_from_each;  // The receive buffer gets a message from each rank.
  bool reduces;
  Pattern pattern;

  bool is_rooted() const { return senders == Ranks::Root || receivers == Ranks::Root; }
};

const CollectiveTraits& traits_of(Collective collective);
const std::vector<CollectiveTraits>& all_collectives();

// Of a callee: ncclBcast is a broadcast.
std::optional<Collective> collective_named(std::string_view callee);

std::string_view name_of(Collective collective);
std::string_view callee_of(Collective collective);
bool is_reduction(Collective collective);
// A send or a receive.
bool is_transfer(Collective collective);

// The messages in the buffers of `rank` that a call reads and writes: none, one, or one for each rank.
size_t messages_sent(Collective collective, int rank, int root, int rank_count);
size_t messages_received(Collective collective, int rank, int root, int rank_count);

// Whether what `rank` receives depends on what `from` sends.
bool hears(Collective collective, int rank, int from, int root);

// One message of a receive buffer: message `message` of these ranks' send buffers, reduced where they are several.
struct ReceivedMessage {
  std::vector<size_t> from;
  size_t message = 0;
};
std::vector<ReceivedMessage> messages_for(Collective collective, int rank, int root, int rank_count);

}  // namespace cuco::model
