
// An exchange of moves on its way out.
struct Departure {
  Pending& call;
  Channel& channel;
  cudaStream_t stream, arrivals;         // That its kernels run on, and those that wait for its messages.
  std::vector<Flight> copied_here = {};  // Its copies so far.
  bool arrivals_follow = false;          // The announcements, which is all that they need.

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
  // Copies go by the copy engine, which is faster than the few blocks of the kernel, and before the kernel: one that
  // only puts may wait for long until its peer has announced where to.
  cudaError_t launch(Piece piece, int blocks) {
    std::vector<Copy> copies;
    copies.swap(piece.copies);
    cudaError_t result = copy(copies);
    bool kernel = piece.phases != 0 || !piece.sends.empty();
    if (kernel && result == cudaSuccess)
      result = run(piece, call.way.kernel, blocks, width_of(piece, call.way.issue, call.way.reach), channel, stream);
    return result;
  }
  cudaError_t copy(const std::vector<Copy>& copies) {
    cudaError_t result = cudaSuccess;
    for (const Copy& one : copies) {
      if (result == cudaSuccess)
        result = cudaMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToDevice, stream);
      copied_here.push_back(flight({{one.from, one.from + one.bytes, false}, {one.to, one.to + one.bytes, true}}));
      record_done(copied_here.back());
    }
    return result;
  }
  // On the stream of arrivals, which has waited for the announcements.
  cudaError_t await(int phases, const std::vector<Message>& messages) const {
    return run({phases, {}, messages, {}}, call.way.kernel, 1, threads_of(Issue::Warp), channel, arrivals);
  }
  Flight flight(std::vector<Use> uses) const { return {call.comm, call.stream, stream, std::move(uses), {}}; }
  // Everything that was launched so far.
  void record_done(Flight& flight) const {
    if (flight.uses.empty()) return;
    flight.done = take_event();
    cudaEventRecord(flight.done, flight.begun_on);
  }
  void add_copies() {
    for (Flight& local : copied_here) add_flight(std::move(local));
  }
  void let_arrivals_follow() {
    arrivals_follow = true;
    if (arrivals == stream) return;
    Mark begun;
    record(begun, stream);
    cudaStreamWaitEvent(arrivals, begun.event, 0);
    lanes().spare.push_back(begun.event);
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
inline cudaError_t begin_in_pieces(Departure& out, std::map<uint64_t, Piece> pieces) {
  cudaError_t result = cudaSuccess;
  out.prepare_for(out.targets(), out.receipts());
  if (!out.call.work.receives.empty()) result = out.launch({kAnnounces, {}, out.call.work.receives, {}}, 1);
  out.let_arrivals_follow();
  for (auto& piece : pieces) {
    piece.second.phases = 0;
    out.prepare_for(uses_of(out, piece.second), {});
    if (result == cudaSuccess) result = out.launch(piece.second, out.call.way.blocks);
  }
  return result;
}

// What remains to be done of an exchange whose messages have been announced and sent: stores are over with the kernel
// that makes them, and who receives nothing has nothing to wait for.
inline int left_behind_sends(const Departure& out) {
  bool flushes = !out.call.work.sends.empty() && out.call.way.reach != Reach::Lsa;
  return (out.call.work.receives.empty() ? 0 : kAwaits) | (flushes ? kFlushes : 0);
}

// In one kernel, with `phases`, or in pieces that end before the waiting; `left` is what then remains.
inline cudaError_t begin(Departure& out, int phases, int& left) {
  std::map<uint64_t, Piece> pieces;
  if (out.call.way.course.by_message && out.stream != out.call.stream) pieces = pieces_by_time(out);
  left = pieces.size() > 1 ? left_behind_sends(out) : kWholeExchange & ~phases;
  if (pieces.size() > 1) return begin_in_pieces(out, std::move(pieces));
  out.prepare_for(together(out.targets(), uses_of(out, out.call.work)), out.receipts());
  out.call.work.phases = phases;
  return out.launch(out.call.work, out.call.way.blocks);
}

// Complete as a whole when the stream has passed it.
inline cudaError_t end_whole(Departure& out, int left) {
  cudaError_t result = cudaSuccess;
  if (left != 0) result = out.launch({left, {}, out.call.work.receives, {}}, 1);
  Flight flight = out.flight(together(out.targets(), uses_of(out, out.call.work)));
  flight.receipts = out.receipts();
  out.record_done(flight);
  add_flight(std::move(flight));
  for (const Flight& local : out.copied_here) lanes().spare.push_back(local.done);
  return result;
}

// Each message is complete by itself: on a lane when the lane has passed its kernel, else by a kernel where it is used.
inline cudaError_t end_by_message(Departure& out) {
  cudaError_t result = cudaSuccess;
  bool lane = out.call.way.course.placement == Placement::Stream, awaits = lane;
  CUCO_AWAITED_BY_READERS;
  Flight sent = out.flight(out.sources());
  out.add_copies();
  if (!out.arrivals_follow) out.let_arrivals_follow();
  for (const Message& message : out.call.work.receives) {
    Flight one = out.flight({out.use_of(message, true)});
    one.receipts = {out.receipt_of(message)};
    one.rest = kAwaits;
    one.awaited = {message};
    one.end = awaits ? nullptr : out.call.way.kernel;
    if (awaits) one.begun_on = out.arrivals;
    if (awaits && result == cudaSuccess) result = out.await(kAwaits, {message});
    if (awaits) out.record_done(one);
    CUCO_BEGUN_SO_FAR;
    add_flight(std::move(one));
  }
  bool flushes = (left_behind_sends(out) & kFlushes) != 0;
  if (flushes && lane) out.let_arrivals_follow();
  if (flushes && lane) sent.begun_on = out.arrivals;
  if (flushes && lane && result == cudaSuccess) result = out.await(kFlushes, {});
  sent.rest = kFlushes;
  sent.end = flushes && !lane ? out.call.way.kernel : nullptr;
  out.record_done(sent);
  add_flight(std::move(sent));
  return result;
}

// Begun here; what is left is done where its bytes are used.
inline void end_where_used(Departure& out, int left) {
  Flight rest = out.flight(together(out.targets(), out.sources()));
  out.add_copies();
  rest.receipts = out.receipts();
  rest.rest = left;
  rest.awaited = out.call.work.receives;
  rest.end = out.call.way.kernel;
  out.record_done(rest);
  add_flight(std::move(rest));
}

inline ncclResult_t submit(Pending& call) {
  CUCO_LAUNCH_SLICES;
  const Course& course = call.way.course;
  CUCO_COPIES_IN_PARTS;
  Lane lane = {call.stream, call.stream};
  if (course.lane != kNoLane) lane = next_lane(call.comm);
  Departure out = {call, channel_of(call.comm), lane.out, lane.in};
  bool one = call.work.receives.size() + call.work.copies.size() < 2;
  CUCO_ONE_BY_ONE;
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
