// Sends, receives and the collectives that move bytes, in place of NCCL's calls.
#pragma once

#include <cuco/comm/site.cuh>

namespace cuco::comm {

// How much of a message is received is for the receiver to say: its announcement carries the number of bytes, and the
// sender sends no more.
inline std::map<const void*, size_t>& wishes() {
  thread_local std::map<const void*, size_t> all;
  return all;
}
// Of the message that is received at `pointer` next, no more than the first `bytes` bytes will be read.
inline void receive_at_most(const void* pointer, size_t bytes) { wishes()[pointer] = bytes; }
inline size_t wanted_of(const void* pointer, size_t bytes) {
  auto wish = wishes().find(pointer);
  if (wish == wishes().end()) return bytes;
  size_t least = wish->second < bytes ? wish->second : bytes;
  wishes().erase(wish);
  return least;
}

// A message that goes on to another rank when it has come.
struct Relay {
  size_t receive;  // Among the receives of its call.
  Message send;
};

// What the calls of one group add up to, for one communicator. As with NCCL, they are one exchange whichever streams
// they are given: it waits for all of these, and all of them wait for it.
struct Pending {
  ncclComm_t comm;
  cudaStream_t stream;  // Of the first.
  Route route;
  Piece work;
  std::vector<std::pair<const void*, size_t>> to_self;
  std::vector<void*> from_self;
  std::vector<Relay> relays = {};                 // Of calls in parts.
  std::vector<char*> sources = {}, targets = {};  // Of staged calls, for each send and receive: where its bytes are.
  std::vector<cudaStream_t> other_streams = {};
};
struct Group {
  int depth = 0;
  std::vector<Pending> calls;
};
inline Group& group() {
  thread_local Group open;
  return open;
}

inline Pending& pending_of(const Route& route, ncclComm_t comm, cudaStream_t stream) {
  for (Pending& call : group().calls) {
    bool joins = call.comm == comm && call.route.kernel == route.kernel && call.route.is_staged == route.is_staged;
    if (!joins) continue;
    std::vector<cudaStream_t>& others = call.other_streams;
    if (call.stream != stream && std::find(others.begin(), others.end(), stream) == others.end())
      others.push_back(stream);
    return call;
  }
  group().calls.push_back({comm, stream, route, {}, {}, {}});
  return group().calls.back();
}

// As follow(), with an event of its own.
inline ncclResult_t join(const Pending& call, cudaStream_t stream, cudaStream_t other) {
  OnDevice on(channel_of(call.comm).device);
  cudaEvent_t event = nullptr;
  if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) return ncclUnhandledCudaError;
  follow(stream, event, other);
  return cudaEventDestroy(event) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// By the blocks that the call asks for.
inline cudaError_t run(const Pending& call, const Piece& piece, Channel& channel, cudaStream_t stream) {
  const Route& route = call.route;
  return run(piece, route.kernel, route.blocks, width_of(piece, route.issue, route.via), channel, stream);
}
// Every exchange runs where its call stands.
inline ncclResult_t submit_at_call(Pending& call) {
  cudaError_t result = run(call, call.work, channel_of(call.comm), call.stream);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

inline ncclResult_t launch(Pending& call) {
  if (call.to_self.size() != call.from_self.size() || call.to_self.size() > kCopies) return ncclInvalidUsage;
  for (size_t i = 0; i < call.to_self.size(); i++)
    if (call.from_self[i] != call.to_self[i].first)
      call.work.copies.push_back(
          {(char*)call.from_self[i], (const char*)call.to_self[i].first, call.to_self[i].second});
  return call.route.submit == nullptr ? submit_at_call(call) : call.route.submit(call);
}

inline uint32_t slots_of(const Pending& call) { return channel_of(call.comm).endpoint.slots; }

template <typename Add>
void deal(const std::vector<Message>& messages, size_t messages_max, Add add) {
  std::map<int, size_t> seen;
  for (size_t i = 0; i < messages.size(); i++) add(seen[messages[i].peer]++ / messages_max, i);
}
inline Pending& round_at(std::vector<Pending>& rounds, const Pending& call, size_t round) {
  while (rounds.size() <= round) rounds.push_back({call.comm, call.stream, call.route, {}, {}, {}});
  return rounds[round];
}
// In one launch two ranks have as many messages as there are slots for them. Sender and receiver count alike, so both
// have a message in the same round.
inline std::vector<Pending> rounds_of(const Pending& call) {
  std::vector<Pending> rounds;
  if (!call.relays.empty()) return {call};
  size_t messages_max = std::max<size_t>(slots_of(call) / call.route.parts.count, 1);
  deal(call.work.sends, messages_max, [&](size_t round, size_t i) {
    round_at(rounds, call, round).work.sends.push_back(call.work.sends[i]);
    if (call.route.is_staged) rounds[round].sources.push_back(call.sources[i]);
  });
  deal(call.work.receives, messages_max, [&](size_t round, size_t i) {
    round_at(rounds, call, round).work.receives.push_back(call.work.receives[i]);
    if (call.route.is_staged) rounds[round].targets.push_back(call.targets[i]);
  });
  for (size_t i = 0; i < call.to_self.size(); i++)
    round_at(rounds, call, i / kCopies).to_self.push_back(call.to_self[i]);
  for (size_t i = 0; i < call.from_self.size(); i++)
    round_at(rounds, call, i / kCopies).from_self.push_back(call.from_self[i]);
  return rounds;
}

inline ncclResult_t group_start() {
  group().depth++;
  return ncclSuccess;
}
inline ncclResult_t group_end() {
  ncclResult_t result = ncclSuccess;
  if (--group().depth > 0) return result;
  for (Pending& call : group().calls) {
    for (cudaStream_t other : call.other_streams)
      if (result == ncclSuccess) result = join(call, call.stream, other);
    for (Pending& round : rounds_of(call))
      if (result == ncclSuccess) result = launch(round);
    for (cudaStream_t other : call.other_streams)
      if (result == ncclSuccess) result = join(call, other, call.stream);
  }
  group().calls.clear();
  return result;
}
// One call: what `add` puts together is launched with its group, or at once.
template <typename Add>
ncclResult_t call_of(const Route& route, ncclComm_t comm, cudaStream_t stream, Add add) {
  if (is_captured(stream)) return ncclInvalidUsage;
  group_start();
  ncclResult_t result = add(pending_of(route, comm, stream), channel_of(comm));
  if (result != ncclSuccess) group().calls.clear();
  ncclResult_t launched = group_end();
  return result == ncclSuccess ? launched : result;
}

// Parts of a message, small at both ends.
inline void cut_units(unsigned units, int count, unsigned* cuts) {
  uint64_t sum = 0, all = 0;
  for (int i = 0; i < count; i++) all += i + 1 < count - i ? i + 1 : count - i;
  for (int i = 0; i <= count; i++) {
    cuts[i] = (unsigned)((units * sum + all / 2) / all);
    sum += i + 1 < count - i ? i + 1 : count - i;
  }
}

// Sender and receiver know the bytes of a message and cut it alike. `add` gets where each part begins and ends.
constexpr int kChunksMax = 8;
template <typename Add>
void cut_bytes(const Route& route, size_t bytes, const Add& add) {
  constexpr size_t kGrain = 16;  // Copies of parts stay wide.
  size_t wanted = (bytes + route.chunk_bytes - 1) / route.chunk_bytes;
  int parts = (int)std::min<size_t>(std::max<size_t>(wanted, 1), kChunksMax);
  size_t grains = (bytes + kGrain - 1) / kGrain;
  unsigned cuts[kChunksMax + 1];
  cut_units((unsigned)grains, parts, cuts);
  for (int i = 0; i <= parts && route.cut == Cut::Even; i++) cuts[i] = (unsigned)(grains * i / parts);
  for (int i = 0; i < parts; i++) add(std::min(cuts[i] * kGrain, bytes), std::min(cuts[i + 1] * kGrain, bytes));
}
inline void add_chunks(const Route& route, const Message& message, uint32_t& count, std::vector<Message>& all) {
  cut_bytes(route, message.bytes, [&](size_t begin, size_t end) {
    Message part = message;
    part.offset += begin;
    part.bytes = end - begin;
    part.sequence = count++;
    all.push_back(part);
  });
}

inline void add_message(const Route& route, Message message, uint32_t& count, std::vector<Message>& all) {
  if (route.chunk_bytes > 0) return add_chunks(route, message, count, all);
  message.sequence = count;
  count += route.parts.count;
  all.push_back(message);
}
// Bytes that go through staging memory leave in pieces, each in the place of its slot. Sender and receiver know the
// bytes of a message and cut it alike.
inline void add_staged(const Channel& channel, char* place, size_t bytes, int peer, size_t offset, uint32_t& count,
                       std::vector<Message>& messages, std::vector<char*>& places) {
  for (size_t begin = 0; begin < bytes; begin += kStagedBytes) {
    size_t slot = peer * channel.endpoint.slots + channel.endpoint.slot_of(count);
    messages.push_back({offset + slot * kStagedBytes, std::min(kStagedBytes, bytes - begin), count++, (int16_t)peer,
                        (int16_t)channel.staged.window});
    places.push_back(place + begin);
  }
}

inline ncclResult_t add_end(Pending& call, Channel& channel, char* place, size_t bytes, int peer, bool sends) {
  uint32_t& count = (sends ? channel.sent : channel.received)[over_network(channel, call.route.via, peer)][peer];
  std::vector<Message>& messages = sends ? call.work.sends : call.work.receives;
  if (call.route.is_staged) {
    size_t begin = sends ? 0 : channel.staged.bytes / 2;
    add_staged(channel, place, bytes, peer, begin, count, messages, sends ? call.sources : call.targets);
    return ncclSuccess;
  }
  Message message = message_at(channel, place, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  add_message(call.route, message, count, messages);
  return ncclSuccess;
}
inline ncclResult_t add_send(Pending& call, const void* from, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (peer != channel.rank) return add_end(call, channel, (char*)from, bytes, peer, true);
  call.to_self.push_back({from, bytes});
  return ncclSuccess;
}
inline ncclResult_t add_receive(Pending& call, void* to, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (channel.endpoint.exact && !call.route.is_staged) bytes = wanted_of(to, bytes);
  if (peer != channel.rank) return add_end(call, channel, (char*)to, bytes, peer, false);
  call.from_self.push_back(to);
  return ncclSuccess;
}

// All-gathers in parts over several nodes: a message crosses the network once for each node, to the rank that has its
// sender's place there, and goes on from that rank by load and store. Between two ranks of a node come the rank's own
// message and then those that it got from other nodes, in the order of ranks.
inline bool goes_through_nodes(const Pending& call, const Channel& channel) {
  int node_ranks = channel.near.nRanks, nodes = channel.ranks / node_ranks;
  bool has_slots = nodes * call.route.parts.count <= (int)slots_of(call) && group().depth == 1;
  return call.route.via == Via::Hybrid && call.route.parts.count > 1 && node_ranks > 1 && nodes > 1 && has_slots;
}

// The message that was added last is sent on to a rank of this node.
inline ncclResult_t add_relay(Pending& call, const void* place, size_t bytes, int peer) {
  ncclResult_t result = add_send(call, place, bytes, peer);
  if (result != ncclSuccess) return result;
  call.relays.push_back({call.work.receives.size() - 1, call.work.sends.back()});
  call.work.sends.pop_back();
  return result;
}

// The message of `origin`, which this rank gets and passes on to those of its node.
inline ncclResult_t gather_from_node(Pending& call, const Channel& channel, const void* from, char* to, size_t bytes,
                                     int origin) {
  int node_ranks = channel.near.nRanks, first = channel.rank / node_ranks * node_ranks;
  ncclResult_t result = add_send(call, from, bytes, origin);
  if (result == ncclSuccess) result = add_receive(call, to + origin * bytes, bytes, origin);
  for (int step = 1; step < node_ranks && result == ncclSuccess; step++)
    result = add_relay(call, to + origin * bytes, bytes, first + (channel.rank - first + step) % node_ranks);
  return result;
}

inline ncclResult_t gather_through_nodes(Pending& call, const Channel& channel, const void* from, char* to,
                                         size_t bytes) {
  int node_ranks = channel.near.nRanks, first = channel.rank / node_ranks * node_ranks;
  ncclResult_t result = ncclSuccess;
  for (int step = 0; step < node_ranks && result == ncclSuccess; step++) {
    int peer = first + (channel.rank - first + step) % node_ranks;
    result = add_send(call, from, bytes, peer);
    if (result == ncclSuccess) result = add_receive(call, to + peer * bytes, bytes, peer);
  }
  for (int origin = channel.rank % node_ranks; origin < channel.ranks && result == ncclSuccess; origin += node_ranks)
    if (origin != channel.rank) result = gather_from_node(call, channel, from, to, bytes, origin);
  for (int origin = 0; origin < channel.ranks && result == ncclSuccess; origin++) {
    int carrier = first + origin % node_ranks;
    bool is_far = origin / node_ranks != channel.rank / node_ranks;
    if (is_far && carrier != channel.rank) result = add_receive(call, to + origin * bytes, bytes, carrier);
  }
  return result;
}

template <typename Call>
ncclResult_t send(const Call& site, const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t stream) {
  return call_of(site.route(), comm, stream,
                 [&](Pending& call, const Channel&) { return add_send(call, from, count * bytes_of(type), peer); });
}

template <typename Call>
ncclResult_t receive(const Call& site, void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                     cudaStream_t stream) {
  return call_of(site.route(), comm, stream,
                 [&](Pending& call, const Channel&) { return add_receive(call, to, count * bytes_of(type), peer); });
}

// What a rank has to do with a peer: whether it sends to it and receives from it, and which message of its buffers.
struct Ends {
  bool sends, receives;
  int from = 0, to = 0;
};
// Peers from this rank on, so that not all of them send to the same one at a time.
template <typename EndsOf>
ncclResult_t add_all(Pending& call, const void* from, void* to, size_t bytes, EndsOf ends_of) {
  const Channel& channel = channel_of(call.comm);
  ncclResult_t result = ncclSuccess;
  for (int step = 0; step < channel.ranks && result == ncclSuccess; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    Ends ends = ends_of(channel.rank, peer);
    if (ends.sends) result = add_send(call, (const char*)from + ends.from * bytes, bytes, peer);
    if (ends.receives && result == ncclSuccess) result = add_receive(call, (char*)to + ends.to * bytes, bytes, peer);
  }
  return result;
}
template <typename Call, typename EndsOf>
ncclResult_t call_all(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                      cudaStream_t stream, EndsOf ends_of) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel&) {
    return add_all(call, from, to, count * bytes_of(type), ends_of);
  });
}

template <typename Call>
ncclResult_t all_gather(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    if (goes_through_nodes(call, channel)) return gather_through_nodes(call, channel, from, (char*)to, bytes);
    return add_all(call, from, to, bytes, [](int, int peer) { return Ends{true, true, 0, peer}; });
  });
}

template <typename Call>
ncclResult_t all_to_all(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
  return call_all(site, from, to, count, type, comm, stream, [](int, int peer) {
    return Ends{true, true, peer, peer};
  });
}

template <typename Call>
ncclResult_t broadcast(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return call_all(site, from, to, count, type, comm, stream, [=](int rank, int peer) {
    return Ends{rank == root, peer == root};
  });
}

template <typename Call>
ncclResult_t bcast(const Call& site, void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                   cudaStream_t stream) {
  return call_all(site, buffer, buffer, count, type, comm, stream, [=](int rank, int peer) {
    return Ends{rank == root && peer != root, rank != root && peer == root};
  });
}

template <typename Call>
ncclResult_t gather(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                    ncclComm_t comm, cudaStream_t stream) {
  return call_all(site, from, to, count, type, comm, stream, [=](int rank, int peer) {
    return Ends{peer == root, rank == root, 0, peer};
  });
}

template <typename Call>
ncclResult_t scatter(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                     ncclComm_t comm, cudaStream_t stream) {
  return call_all(site, from, to, count, type, comm, stream, [=](int rank, int peer) {
    return Ends{rank == root, peer == root, peer, 0};
  });
}

}  // namespace cuco::comm
