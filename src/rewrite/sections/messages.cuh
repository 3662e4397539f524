
// The kernel of a call, its width, what it reaches peers by, when it runs, and who in a block issues.
struct Way {
  ExchangeKernel kernel;
  int blocks;
  Reach reach;
  Course course = {};
  Issue issue = Issue::Block;
  Parts parts = {};
};

// A message that goes on to another rank when it has come.
struct Relay {
  size_t receive;  // Among the receives of its call.
  Message send;
};

// What the calls of one group add up to, for one communicator and stream.
struct Pending {
  ncclComm_t comm;
  cudaStream_t stream;
  Way way;
  Piece work;
  std::vector<std::pair<const void*, size_t>> to_self;
  std::vector<void*> from_self;
  std::vector<Relay> relays = {};  // Of calls in parts.
};
struct Group {
  int depth = 0;
  std::vector<Pending> calls;
};
inline Group& group() {
  thread_local Group open;
  return open;
}

inline Pending& pending_of(const Way& way, ncclComm_t comm, cudaStream_t stream) {
  for (Pending& call : group().calls)
    if (call.comm == comm && call.stream == stream && call.way.kernel == way.kernel) return call;
  group().calls.push_back({comm, stream, way, {}, {}, {}});
  return group().calls.back();
}

ncclResult_t submit(Pending& call);

inline ncclResult_t launch(Pending& call) {
  if (call.to_self.size() != call.from_self.size() || call.to_self.size() > kCopies) return ncclInvalidUsage;
  for (size_t i = 0; i < call.to_self.size(); i++)
    if (call.from_self[i] != call.to_self[i].first)
      call.work.copies.push_back(
          {(char*)call.from_self[i], (const char*)call.to_self[i].first, call.to_self[i].second});
  CUCO_IN_PARTS;
  return submit(call);
}

template <typename Add>
void deal(const std::vector<Message>& messages, size_t messages_max, Add add) {
  std::map<int, size_t> seen;
  for (const Message& message : messages) add(seen[message.peer]++ / messages_max, message);
}
inline Pending& round_at(std::vector<Pending>& rounds, const Pending& call, size_t round) {
  while (rounds.size() <= round) rounds.push_back({call.comm, call.stream, call.way, {}, {}, {}});
  return rounds[round];
}
// In one launch two ranks have as many messages as there are slots for them. Sender and receiver count alike, so both
// have a message in the same round.
inline std::vector<Pending> rounds_of(const Pending& call) {
  std::vector<Pending> rounds;
  if (!call.relays.empty()) return {call};
  size_t messages_max = kSlots / call.way.parts.count;
  deal(call.work.sends, messages_max, [&](size_t round, const Message& message) {
    round_at(rounds, call, round).work.sends.push_back(message);
  });
  deal(call.work.receives, messages_max, [&](size_t round, const Message& message) {
    round_at(rounds, call, round).work.receives.push_back(message);
  });
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
  for (const Pending& call : group().calls)
    for (Pending& round : rounds_of(call))
      if (result == ncclSuccess) result = launch(round);
  group().calls.clear();
  return result;
}
// One call: what `add` puts together is launched with its group, or at once.
template <typename Add>
ncclResult_t call_of(const Way& way, ncclComm_t comm, cudaStream_t stream, Add add) {
  group_start();
  ncclResult_t result = add(pending_of(way, comm, stream), channel_of(comm));
  if (result != ncclSuccess) group().calls.clear();
  ncclResult_t launched = group_end();
  return result == ncclSuccess ? launched : result;
}

inline void add_message(const Way& way, Message message, uint32_t& count, std::vector<Message>& all) {
  CUCO_CHUNKED;
  message.number = count;
  count += way.parts.count;
  all.push_back(message);
}
inline ncclResult_t add_send(Pending& call, const void* from, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  if (peer == channel.rank) {
    call.to_self.push_back({from, bytes});
    return ncclSuccess;
  }
  Message message = message_at(channel, from, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  add_message(call.way, message, channel.sent[over_network(channel, call.way.reach, peer)][peer], call.work.sends);
  return ncclSuccess;
}
inline ncclResult_t add_receive(Pending& call, void* to, size_t bytes, int peer) {
  Channel& channel = channel_of(call.comm);
  CUCO_WANTED;
  if (peer == channel.rank) {
    call.from_self.push_back(to);
    return ncclSuccess;
  }
  Message message = message_at(channel, to, bytes, peer);
  if (message.window == 0 && bytes > 0) return ncclInvalidArgument;
  uint32_t& received = channel.received[over_network(channel, call.way.reach, peer)][peer];
  add_message(call.way, message, received, call.work.receives);
  return ncclSuccess;
}
