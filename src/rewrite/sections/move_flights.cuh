
// An exchange of moves on its way out.
struct Departure {
  Pending& call;
  Channel& channel;
  cudaStream_t stream;  // That its kernels run on.

  Use use_of(const Message& message, bool writes) const {
    const char* begin = channel.windows[message.window].base + message.offset;
    return {begin, begin + message.bytes, writes};
  }
  std::vector<Use> uses_of(const std::vector<Message>& messages, bool writes) const {
    std::vector<Use> uses;
    for (const Message& message : messages) uses.push_back(use_of(message, writes));
    return uses;
  }
  std::vector<Use> sources() const { return uses_of(call.work.sends, false); }
  std::vector<Use> targets() const { return uses_of(call.work.receives, true); }
  std::vector<Use> copied() const {
    std::vector<Use> uses;
    for (const Copy& copy : call.work.copies) {
      uses.push_back({copy.from, copy.from + copy.bytes, false});
      uses.push_back({copy.to, copy.to + copy.bytes, true});
    }
    return uses;
  }
  Receipt receipt_of(const Message& message) const {
    return {over_network(channel, call.way.reach, message.peer), message.peer, message.number};
  }

  void prepare_for(const std::vector<Use>& uses) const { prepare(stream, call.stream, uses); }
  cudaError_t launch(const Piece& piece, int blocks) const {
    return run(piece, call.way.kernel, blocks, channel, stream);
  }
  Flight flight(std::vector<Use> uses) const { return {call.comm, call.stream, stream, std::move(uses), {}}; }
  // Everything that was launched so far.
  void record_done(Flight& flight) const {
    if (flight.uses.empty()) return;
    flight.done = take_event();
    cudaEventRecord(flight.done, stream);
  }
};

// Sends by the time of the last work on their bytes.
inline std::map<uint64_t, std::vector<Message>> sends_by_time(const Departure& out) {
  std::map<uint64_t, std::vector<Message>> sends;
  for (const Message& send : out.call.work.sends) sends[ready_time(out.use_of(send, false))].push_back(send);
  return sends;
}

// All announcements first: a peer whose send comes before its receives waits for them.
inline cudaError_t begin_in_pieces(const Departure& out, const std::map<uint64_t, std::vector<Message>>& sends) {
  out.prepare_for(out.targets());
  cudaError_t result = cudaSuccess;
  if (!out.call.work.receives.empty()) result = out.launch({kAnnounces, {}, out.call.work.receives, {}}, 1);
  for (const auto& piece : sends) {
    out.prepare_for(out.uses_of(piece.second, false));
    if (result == cudaSuccess) result = out.launch({0, piece.second, {}, {}}, out.call.way.blocks);
  }
  out.prepare_for(out.copied());
  if (result != cudaSuccess || out.call.work.copies.empty()) return result;
  return out.launch({0, {}, {}, out.call.work.copies}, out.call.way.blocks);
}

// With all of `phases` unless it goes in pieces, which end before the waiting; `left` is what then remains.
inline cudaError_t begin(const Departure& out, int phases, int& left) {
  bool own_lane = out.stream != out.call.stream;
  if (out.call.way.course.by_message && own_lane && out.call.work.sends.size() > 1) {
    std::map<uint64_t, std::vector<Message>> sends = sends_by_time(out);
    left = kAwaits | kFlushes;
    if (sends.size() > 1) return begin_in_pieces(out, sends);
  }
  left = kWholeExchange & ~phases;
  for (const std::vector<Use>& uses : {out.targets(), out.sources(), out.copied()}) out.prepare_for(uses);
  out.call.work.phases = phases;
  return out.launch(out.call.work, out.call.way.blocks);
}

// Complete as a whole when the stream has passed it.
inline cudaError_t fly_whole(const Departure& out) {
  int left = 0;
  cudaError_t result = begin(out, kWholeExchange, left);
  if (result == cudaSuccess && left != 0) result = out.launch({left, {}, out.call.work.receives, {}}, 1);
  Flight flight = out.flight(out.targets());
  for (const std::vector<Use>& uses : {out.sources(), out.copied()})
    flight.uses.insert(flight.uses.end(), uses.begin(), uses.end());
  for (const Message& message : out.call.work.receives) flight.receipts.push_back(out.receipt_of(message));
  out.record_done(flight);
  add_flight(std::move(flight));
  return result;
}

// Each message is complete by itself: on a lane when the lane has passed its kernel, else by a kernel where it is used.
inline cudaError_t fly_by_message(const Departure& out) {
  int left = 0;
  bool lane = out.call.way.course.placement == Placement::Stream;
  cudaError_t result = begin(out, kAnnounces, left);
  Flight local = out.flight(out.copied()), sent = out.flight(out.sources());
  out.record_done(local);
  add_flight(std::move(local));
  for (const Message& message : out.call.work.receives) {
    Flight one = out.flight({out.use_of(message, true)});
    one.receipts = {out.receipt_of(message)};
    one.rest = kAwaits;
    one.awaited = {message};
    one.end = lane ? nullptr : out.call.way.kernel;
    if (lane && result == cudaSuccess) result = out.launch({kAwaits, {}, {message}, {}}, 1);
    if (lane) out.record_done(one);
    add_flight(std::move(one));
  }
  bool flushes = !out.call.work.sends.empty() && out.call.way.reach != Reach::Lsa;
  if (flushes && lane && result == cudaSuccess) result = out.launch({kFlushes, {}, {}, {}}, 1);
  sent.rest = kFlushes;
  sent.end = flushes && !lane ? out.call.way.kernel : nullptr;
  out.record_done(sent);
  add_flight(std::move(sent));
  return result;
}

// Begun here; what is left is done where its bytes are used.
inline cudaError_t fly_split(const Departure& out) {
  int left = 0;
  cudaError_t result = begin(out, kAnnounces, left);
  Flight local = out.flight(out.copied()), rest = out.flight(out.targets());
  for (const Use& use : out.sources()) rest.uses.push_back(use);
  for (const Message& message : out.call.work.receives) rest.receipts.push_back(out.receipt_of(message));
  rest.rest = left;
  rest.awaited = out.call.work.receives;
  rest.end = out.call.way.kernel;
  for (Flight* one : {&local, &rest}) {
    out.record_done(*one);
    add_flight(std::move(*one));
  }
  return result;
}

inline ncclResult_t submit(Pending& call) {
  const Course& course = call.way.course;
  cudaStream_t stream = course.lane == kNoLane ? call.stream : lanes().streams.at(call.comm)[course.lane];
  Departure out = {call, channel_of(call.comm), stream};
  for (const Message& message : call.work.receives) wait_for_slot(call.comm, stream, out.receipt_of(message));
  bool one = call.work.receives.size() + call.work.copies.size() < 2;
  bool whole =
      course.placement == Placement::Deferred || (course.placement == Placement::Stream && (one || !course.by_message));
  cudaError_t result = whole ? fly_whole(out) : course.by_message ? fly_by_message(out) : fly_split(out);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
