// Calls on memory that is no window: from code that cannot be seen, of the host, allocated between two calls, or by some
// ranks only. Bytes go through a staging window on both sides, in pieces of kStagedBytes, as many at a time as two ranks
// can have open. Sender and receiver know the bytes of a message and cut it alike.
#pragma once

#include <cuco/comm/collectives.cuh>

namespace cuco::comm {

// A block for each.
static __global__ void copy_staged(Items<Copy> copies) {
  const Copy& own = copies[blockIdx.x];
  copy_bytes(own.to, own.from, own.bytes, blockDim.x);
}
inline cudaError_t run_copies(const std::vector<Copy>& copies, cudaStream_t stream) {
  if (copies.empty()) return cudaSuccess;
  Items<Copy> items = {};
  std::vector<Copy> more;
  int count = 0;
  for (const Copy& copy : copies) add_item(items, count, more, copy);
  cudaError_t result = lift_items(items, more, stream);
  if (result == cudaSuccess) copy_staged<<<count, kThreads, 0, stream>>>(items);
  if (result == cudaSuccess) result = cudaGetLastError();
  return result == cudaSuccess ? drop_items(items, more, stream) : result;
}

// Calls of one communicator use its staging memory in turn, on whichever stream they are.
class StagedTurn {
 public:
  StagedTurn(Channel& channel, cudaStream_t stream) : channel_(channel), stream_(stream), on_(channel.device) {
    cudaEvent_t& done = channel.staged.done;
    result = done == nullptr ? cudaEventCreateWithFlags(&done, cudaEventDisableTiming)
                             : cudaStreamWaitEvent(stream, done, 0);
  }
  ncclResult_t end() {
    if (result == cudaSuccess) result = cudaEventRecord(channel_.staged.done, stream_);
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
  cudaError_t result;

 private:
  Channel& channel_;
  cudaStream_t stream_;
  OnDevice on_;
};

struct StagedRound {
  std::vector<Copy> in, out;
  Piece work;
};
inline StagedRound& staged_round(std::vector<StagedRound>& rounds, size_t round) {
  if (rounds.size() <= round) rounds.resize(round + 1);
  return rounds[round];
}

// Every piece of the messages: its round, its place in the staging memory, and its bytes.
template <typename Add>
void for_each_piece(const Channel& channel, const std::vector<Loose>& messages, Add add) {
  std::map<int, size_t> counts;
  size_t slots = channel.endpoint.slots;
  for (const Loose& message : messages) {
    if (message.peer == channel.rank) continue;
    for (size_t begin = 0; begin < message.bytes; begin += kStagedBytes) {
      size_t index = counts[message.peer]++;
      size_t offset = ((size_t)message.peer * slots + index % slots) * kStagedBytes;
      add(index / slots, Loose{message.place + begin, std::min(kStagedBytes, message.bytes - begin), message.peer},
          offset);
    }
  }
}

inline std::vector<StagedRound> staged_rounds(const Pending& call, Channel& channel) {
  std::vector<StagedRound> rounds;
  const Staging& staged = channel.staged;
  auto message_of = [&](const Loose& piece, size_t offset) {
    return Message{offset, piece.bytes, 0, (int16_t)piece.peer, (int16_t)staged.window};
  };
  for_each_piece(channel, call.loose_sends, [&](size_t round, const Loose& piece, size_t offset) {
    StagedRound& own = staged_round(rounds, round);
    own.in.push_back({staged.base + offset, piece.place, piece.bytes});
    add_message(call.route, message_of(piece, offset),
                channel.sent[over_network(channel, call.route.via, piece.peer)][piece.peer], own.work.sends);
  });
  for_each_piece(channel, call.loose_receives, [&](size_t round, const Loose& piece, size_t offset) {
    StagedRound& own = staged_round(rounds, round);
    offset += staged.half_bytes;
    own.out.push_back({piece.place, staged.base + offset, piece.bytes});
    add_message(call.route, message_of(piece, offset),
                channel.received[over_network(channel, call.route.via, piece.peer)][piece.peer], own.work.receives);
  });
  return rounds;
}

// Messages of a rank to itself, in order; false where their ends do not pair.
inline bool own_copies(const Pending& call, int rank, std::vector<Copy>& copies) {
  std::vector<Loose> from, to;
  for (const Loose& message : call.loose_sends)
    if (message.peer == rank) from.push_back(message);
  for (const Loose& message : call.loose_receives)
    if (message.peer == rank) to.push_back(message);
  for (size_t i = 0; i < from.size() && i < to.size(); i++)
    if (from[i].place != to[i].place) copies.push_back({to[i].place, from[i].place, from[i].bytes});
  return from.size() == to.size();
}

struct StagedRoute {
  static ncclResult_t submit(Pending& call) {
    Channel& channel = channel_of(call.comm);
    std::vector<Copy> own;
    if (!own_copies(call, channel.rank, own)) return ncclInvalidUsage;
    StagedTurn turn(channel, call.stream);
    if (turn.result == cudaSuccess) turn.result = run_copies(own, call.stream);
    for (const StagedRound& round : staged_rounds(call, channel)) {
      if (turn.result == cudaSuccess) turn.result = run_copies(round.in, call.stream);
      if (turn.result == cudaSuccess)
        turn.result = run(round.work, call.route.kernel, call.route.blocks,
                          width_of(round.work, call.route.issue, call.route.via), channel, call.stream);
      if (turn.result == cudaSuccess) turn.result = run_copies(round.out, call.stream);
    }
    return turn.end();
  }
};

}  // namespace cuco::comm
