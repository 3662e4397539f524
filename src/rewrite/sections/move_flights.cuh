
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

  std::vector<Receipt> receipts() const {
    std::vector<Receipt> all;
    for (const Message& message : call.work.receives) all.push_back(receipt_of(message));
    return all;
  }

  void prepare_for(const std::vector<Use>& uses, const std::vector<Receipt>& receipts) const {
    prepare(stream, call.stream, uses, call.comm, receipts);
  }
  // Copies go by the copy engine, which is faster than the few blocks of the kernel: behind puts, which the NIC does
  // meanwhile, but before a kernel that stores or waits.
  cudaError_t launch(Piece piece, int blocks) const {
    std::vector<Copy> copies;
    copies.swap(piece.copies);
    bool copies_last = call.way.reach == Reach::Gin && (piece.phases & kAwaits) == 0;
    cudaError_t result = copies_last ? cudaSuccess : copy(copies);
    bool kernel = piece.phases != 0 || !piece.sends.empty();
    if (kernel && result == cudaSuccess) result = run(piece, call.way.kernel, blocks, width_of(piece, call.way.issue), channel, stream);
    return copies_last && result == cudaSuccess ? copy(copies) : result;
  }
  cudaError_t copy(const std::vector<Copy>& copies) const {
    cudaError_t result = cudaSuccess;
    for (const Copy& one : copies)
      if (result == cudaSuccess)
        result = cudaMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToDevice, stream);
    return result;
  }
  Flight flight(std::vector<Use> uses) const { return {call.comm, call.stream, stream, std::move(uses), {}}; }
  // Everything that was launched so far.
  void record_done(Flight& flight) const {
    if (flight.uses.empty()) return;
    flight.done = take_event();
    cudaEventRecord(flight.done, stream);
  }
};

inline std::vector<Use> together(std::vector<Use> uses, const std::vector<Use>& others) {
  uses.insert(uses.end(), others.begin(), others.end());
  return uses;
}

// Sends and copies by the time of the last work on what they read.
inline std::map<uint64_t, Piece> pieces_by_time(const Departure& out) {
  std::map<uint64_t, Piece> pieces;
  for (const Message& send : out.call.work.sends) pieces[ready_time(out.use_of(send, false))].sends.push_back(send);
  for (const Copy& copy : out.call.work.copies)
    pieces[ready_time({copy.from, copy.from + copy.bytes, false})].copies.push_back(copy);
  return pieces;
}

inline std::vector<Use> uses_of(const Departure& out, const Piece& piece) {
  std::vector<Use> uses = out.uses_of(piece.sends, false);
  for (const Copy& copy : piece.copies) {
    uses.push_back({copy.from, copy.from + copy.bytes, false});
    uses.push_back({copy.to, copy.to + copy.bytes, true});
  }
  return uses;
}

// All announcements first: a peer whose send comes before its receives waits for them.
inline cudaError_t begin_in_pieces(const Departure& out, std::map<uint64_t, Piece> pieces) {
  cudaError_t result = cudaSuccess;
  out.prepare_for(out.targets(), out.receipts());
  if (!out.call.work.receives.empty()) result = out.launch({kAnnounces, {}, out.call.work.receives, {}}, 1);
  for (auto& piece : pieces) {
    piece.second.phases = 0;
    out.prepare_for(uses_of(out, piece.second), {});
    if (result == cudaSuccess) result = out.launch(piece.second, out.call.way.blocks);
  }
  return result;
}

// In one kernel, with `phases`, or in pieces that end before the waiting; `left` is what then remains.
inline cudaError_t begin(const Departure& out, int phases, int& left) {
  std::map<uint64_t, Piece> pieces;
  if (out.call.way.course.by_message && out.stream != out.call.stream) pieces = pieces_by_time(out);
  left = pieces.size() > 1 ? kAwaits | kFlushes : kWholeExchange & ~phases;
  if (pieces.size() > 1) return begin_in_pieces(out, std::move(pieces));
  out.prepare_for(together(out.targets(), uses_of(out, out.call.work)), out.receipts());
  out.call.work.phases = phases;
  return out.launch(out.call.work, out.call.way.blocks);
}

// Complete as a whole when the stream has passed it.
inline cudaError_t end_whole(const Departure& out, int left) {
  cudaError_t result = cudaSuccess;
  if (left != 0) result = out.launch({left, {}, out.call.work.receives, {}}, 1);
  Flight flight = out.flight(together(out.targets(), uses_of(out, out.call.work)));
  flight.receipts = out.receipts();
  out.record_done(flight);
  add_flight(std::move(flight));
  return result;
}

// Each message is complete by itself: on a lane when the lane has passed its kernel, else by a kernel where it is used.
inline cudaError_t end_by_message(const Departure& out) {
  cudaError_t result = cudaSuccess;
  bool lane = out.call.way.course.placement == Placement::Stream;
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
inline void end_where_used(const Departure& out, int left) {
  Flight local = out.flight(out.copied()), rest = out.flight(together(out.targets(), out.sources()));
  rest.receipts = out.receipts();
  rest.rest = left;
  rest.awaited = out.call.work.receives;
  rest.end = out.call.way.kernel;
  for (Flight* one : {&local, &rest}) {
    out.record_done(*one);
    add_flight(std::move(*one));
  }
}

inline ncclResult_t submit(Pending& call) {
  const Course& course = call.way.course;
  cudaStream_t stream = course.lane == kNoLane ? call.stream : lanes().streams.at(call.comm)[course.lane];
  Departure out = {call, channel_of(call.comm), stream};
  bool one = call.work.receives.size() + call.work.copies.size() < 2;
  bool whole =
      course.placement == Placement::Deferred || (course.placement == Placement::Stream && (one || !course.by_message));
  int left = 0;
  make_room();
  cudaError_t result = begin(out, whole ? kWholeExchange : kAnnounces, left);
  if (result != cudaSuccess) return ncclUnhandledCudaError;
  if (whole)
    result = end_whole(out, left);
  else if (course.by_message)
    result = end_by_message(out);
  else
    end_where_used(out, left);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
