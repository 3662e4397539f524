
// All-gathers in parts over several nodes: a message crosses the network once for each node, to the rank that has its
// sender's place there, and goes on from that rank by load and store. Between two ranks of a node come the rank's own
// message and then those that it got from other nodes, in the order of ranks.
inline bool goes_through_nodes(const Pending& call, const Channel& channel) {
  int node_ranks = channel.near.nRanks, nodes = channel.ranks / node_ranks;
  bool has_slots = nodes * call.way.parts.count <= kSlots && group().depth == 1;
  return call.way.reach == Reach::Hybrid && call.way.parts.count > 1 && node_ranks > 1 && nodes > 1 && has_slots;
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
