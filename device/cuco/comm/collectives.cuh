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

// A message from or to memory that is no window.
struct Loose {
  char* place;
  size_t bytes;
  int peer;
};

// What the calls of one group add up to, for one communicator and stream.
struct Pending {
  ncclComm_t comm;
  cudaStream_t stream;
  Route route;
  Piece work;
  std::vector<std::pair<const void*, size_t>> to_self;
  std::vector<void*> from_self;
  std::vector<Relay> relays = {};  // Of calls in parts.
  std::vector<Loose> loose_sends = {}, loose_receives = {};  // Of staged calls.
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
  for (Pending& call : group().calls)
    if (call.comm == comm && call.stream == stream && call.route.kernel == route.kernel && call.route.stage == route.stage)
      return call;
  group().calls.push_back({comm, stream, route, {}, {}, {}});
  return group().calls.back();
}

// Every exchange runs where its call stands.
inline ncclResult_t submit_at_call(Pending& call) {
  const Route& route = call.route;
  cudaError_t result = run(call.work, route.kernel, route.blocks, width_of(call.work, route.issue, route.via),
                           channel_of(call.comm), call.stream);
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
  for (const Message& message : messages) add(seen[message.peer]++ / messages_max, message);
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
  deal(call.work.sends, messages_max,
       [&](size_t round, const Message& message) { round_at(rounds, call, round).work.sends.push_back(message); });
  deal(call.work.receives, messages_max,
       [&](size_t round, const Message& message) { round_at(rounds, call, round).work.receives.push_back(message); });
  for (size_t i = 0; i < call.to_self.size(); i++)
    round_at(rounds, call, i / kCopies).to_self.push_back(call.to_self[i]);
  for (size_t i = 0; i < call.from_self.size(); i++)
    round_at(rounds, call, i / kCopies).from_self.push_back(call.from_self[i]);
  return rounds;
}

// In place of ncclGroupStart and ncclGroupEnd.
inline ncclResult_t group_start() {
  group().depth++;
  return ncclSuccess;
}
inline ncclResult_t group_end() {
  ncclResult_t result = ncclSuccess;
  if (--group().depth > 0) return result;
  for (Pending& call : group().calls) {
    if (call.route.stage != nullptr) {
      if (result == ncclSuccess) result = call.route.stage(call);
      continue;
    }
    for (Pending& round : rounds_of(call))
      if (result == ncclSuccess) result = launch(round);
  }
  group().calls.clear();
  return result;
}
// One call: what `add` puts together is launched with its group, or at once.
template <typename Add>
ncclResult_t call_of(const Route& route, ncclComm_t comm, cudaStream_t stream, Add add) {
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
inline ncclResult_t add_send(Pending& call, const void* from, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (call.route.stage != nullptr) {
    call.loose_sends.push_back({(char*)from, bytes, peer});
    return ncclSuccess;
  }
  if (peer == channel.rank) {
    call.to_self.push_back({from, bytes});
    return ncclSuccess;
  }
  Message message = message_at(channel, from, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  add_message(call.route, message, channel.sent[over_network(channel, call.route.via, peer)][peer], call.work.sends);
  return ncclSuccess;
}
inline ncclResult_t add_receive(Pending& call, void* to, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (call.route.stage != nullptr) {
    call.loose_receives.push_back({(char*)to, bytes, peer});
    return ncclSuccess;
  }
  if (channel.endpoint.exact) bytes = wanted_of(to, bytes);
  if (peer == channel.rank) {
    call.from_self.push_back(to);
    return ncclSuccess;
  }
  Message message = message_at(channel, to, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  uint32_t& received = channel.received[over_network(channel, call.route.via, peer)][peer];
  add_message(call.route, message, received, call.work.receives);
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

// Peers from the next rank on, so that not all of them send to the same one at a time.
template <typename Call>
ncclResult_t all_gather(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    if (goes_through_nodes(call, channel)) return gather_through_nodes(call, channel, from, (char*)to, bytes);
    for (int step = 0; step < channel.ranks && result == ncclSuccess; step++) {
      int peer = (channel.rank + step) % channel.ranks;
      result = add_send(call, from, bytes, peer);
      if (result == ncclSuccess) result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    }
    return result;
  });
}

// Peers from the next rank on, so that not all of them send to the same one at a time.
template <typename Call>
ncclResult_t all_to_all(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int step = 0; step < channel.ranks && result == ncclSuccess; step++) {
      int peer = (channel.rank + step) % channel.ranks;
      result = add_send(call, (const char*)from + peer * bytes, bytes, peer);
      if (result == ncclSuccess) result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    }
    return result;
  });
}

template <typename Call>
ncclResult_t broadcast(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int step = 0; step < channel.ranks && channel.rank == root && result == ncclSuccess; step++)
      result = add_send(call, from, bytes, (root + step) % channel.ranks);
    return result == ncclSuccess ? add_receive(call, to, bytes, root) : result;
  });
}

template <typename Call>
ncclResult_t bcast(const Call& site, void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                   cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    if (channel.rank != root) return add_receive(call, buffer, bytes, root);
    for (int step = 1; step < channel.ranks && result == ncclSuccess; step++)
      result = add_send(call, buffer, bytes, (root + step) % channel.ranks);
    return result;
  });
}

template <typename Call>
ncclResult_t gather(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                    ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = add_send(call, from, bytes, root);
    for (int peer = 0; peer < channel.ranks && channel.rank == root && result == ncclSuccess; peer++)
      result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    return result;
  });
}

template <typename Call>
ncclResult_t scatter(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                     ncclComm_t comm, cudaStream_t stream) {
  return call_of(site.route(), comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int peer = 0; peer < channel.ranks && channel.rank == root && result == ncclSuccess; peer++)
      result = add_send(call, (const char*)from + peer * bytes, bytes, peer);
    return result == ncclSuccess ? add_receive(call, to, bytes, root) : result;
  });
}

}  // namespace cuco::comm
