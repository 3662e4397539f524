
inline bool run_exchange(ExchangeKernel kernel, Channel& channel, const Exchange& work, int blocks,
                         cudaStream_t stream) {
  void* arguments[] = {&channel.endpoint, (void*)&work};
  return cudaLaunchKernel((const void*)kernel, blocks, kThreads, arguments, 0, stream) == cudaSuccess;
}

// An exchange of moves on its way out.
struct Departure {
  Pending& call;
  Channel& channel;
  cudaStream_t stream;  // That its kernels run on.

  Use use_of(const Message& message, bool writes) const {
    const char* begin = channel.windows[message.window].base + message.offset;
    return {begin, begin + message.bytes, writes};
  }
  std::vector<Use> sources() const {
    std::vector<Use> uses;
    for (int i = 0; i < call.work.send_count; i++) uses.push_back(use_of(call.work.sends[i], false));
    return uses;
  }
  std::vector<Use> targets() const {
    std::vector<Use> uses;
    for (int i = 0; i < call.work.receive_count; i++) uses.push_back(use_of(call.work.receives[i], true));
    return uses;
  }
  std::vector<Use> copied() const {
    std::vector<Use> uses;
    for (int i = 0; i < call.work.copy_count; i++) {
      const Copy& copy = call.work.copies[i];
      uses.push_back({copy.from, copy.from + copy.bytes, false});
      uses.push_back({copy.to, copy.to + copy.bytes, true});
    }
    return uses;
  }
  Receipt receipt_of(const Message& message) const {
    return {over_network(channel, call.way.reach, message.peer), message.peer, message.number};
  }

  bool run(const Exchange& work, int blocks) const {
    return run_exchange(call.way.kernel, channel, work, blocks, stream);
  }
  Flight flight(std::vector<Use> uses) const { return {call.comm, call.stream, stream, std::move(uses)}; }
  // Everything that was launched so far.
  void record_done(Flight& flight) const {
    if (flight.uses.empty()) return;
    flight.done = take_event();
    cudaEventRecord(flight.done, stream);
  }
};

// Sends in the order in which their bytes become ready.
inline void sort_sends(const Departure& out) {
  Exchange& work = out.call.work;
  std::vector<std::pair<uint64_t, Message>> sends;
  for (int i = 0; i < work.send_count; i++)
    sends.push_back({ready_time(out.use_of(work.sends[i], false)), work.sends[i]});
  std::stable_sort(sends.begin(), sends.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (int i = 0; i < work.send_count; i++) work.sends[i] = sends[i].second;
}

// How many sends from the first on become ready together.
inline int ready_together(const Departure& out, int first) {
  const Exchange& work = out.call.work;
  uint64_t time = ready_time(out.use_of(work.sends[first], false));
  int last = first;
  while (last < work.send_count && ready_time(out.use_of(work.sends[last], false)) == time) last++;
  return last - first;
}

inline bool is_cut(const Departure& out) {
  if (!out.call.way.course.by_message || out.stream == out.call.stream || out.call.work.send_count < 2) return false;
  sort_sends(out);
  return ready_together(out, 0) < out.call.work.send_count;
}

// All announcements first: a peer whose send comes before its receives waits for them.
inline bool begin_in_pieces(const Departure& out) {
  const Exchange& work = out.call.work;
  Exchange piece = work;
  piece.phases = kAnnounces;
  piece.send_count = piece.copy_count = 0;
  prepare(out.stream, out.call.stream, out.targets());
  bool fine = work.receive_count == 0 || out.run(piece, 1);
  for (int first = 0; first < work.send_count && fine; first += piece.send_count) {
    piece = {};
    std::vector<Use> uses;
    for (int i = 0; i < ready_together(out, first); i++) {
      uses.push_back(out.use_of(work.sends[first + i], false));
      piece.sends[piece.send_count++] = work.sends[first + i];
    }
    prepare(out.stream, out.call.stream, uses);
    fine = out.run(piece, out.call.way.blocks);
  }
  piece = work;
  piece.phases = piece.send_count = 0;
  prepare(out.stream, out.call.stream, out.copied());
  return fine && (work.copy_count == 0 || out.run(piece, out.call.way.blocks));
}

inline bool begin(const Departure& out, int phases) {
  if (is_cut(out)) {
    out.call.work.phases = kAnnounces;
    return begin_in_pieces(out);
  }
  for (const std::vector<Use>& uses : {out.targets(), out.sources(), out.copied()})
    prepare(out.stream, out.call.stream, uses);
  out.call.work.phases = phases;
  return out.run(out.call.work, out.call.way.blocks);
}

// In one kernel, or begun in pieces and then awaited: complete as a whole when the stream has passed it.
inline bool fly_whole(const Departure& out) {
  const Exchange& work = out.call.work;
  bool fine = begin(out, kWholeExchange);
  if (fine && work.phases != kWholeExchange) {
    Exchange rest = work;
    rest.phases = kAwaits | kFlushes;
    rest.send_count = rest.copy_count = 0;
    fine = out.run(rest, 1);
  }
  Flight flight = out.flight(out.targets());
  for (const std::vector<Use>& uses : {out.sources(), out.copied()})
    flight.uses.insert(flight.uses.end(), uses.begin(), uses.end());
  for (int i = 0; i < work.receive_count; i++) flight.receipts.push_back(out.receipt_of(work.receives[i]));
  out.record_done(flight);
  add_flight(std::move(flight));
  return fine;
}

// Each message is complete by itself: on a lane when the lane has passed its kernel, else by a kernel where it is used.
inline bool fly_by_message(const Departure& out) {
  const Exchange& work = out.call.work;
  bool lane = out.call.way.course.placement == Placement::Stream, fine = begin(out, kAnnounces);
  Flight local = out.flight(out.copied()), sent = out.flight(out.sources());
  out.record_done(local);
  for (int i = 0; i < work.receive_count && fine; i++) {
    Flight one = out.flight({out.use_of(work.receives[i], true)});
    one.receipts = {out.receipt_of(work.receives[i])};
    one.rest.phases = kAwaits;
    one.rest.receive_count = 1;
    one.rest.receives[0] = work.receives[i];
    one.end = lane ? nullptr : out.call.way.kernel;
    if (lane) fine = out.run(one.rest, 1);
    if (lane) out.record_done(one);
    add_flight(std::move(one));
  }
  bool flushes = work.send_count > 0 && out.call.way.reach != Reach::Lsa;
  sent.rest.phases = kFlushes;
  if (flushes && lane && fine) fine = out.run(sent.rest, 1);
  sent.end = flushes && !lane ? out.call.way.kernel : nullptr;
  out.record_done(sent);
  add_flight(std::move(local));
  add_flight(std::move(sent));
  return fine;
}

// Begun here; what is left is done where its bytes are used.
inline bool fly_split(const Departure& out) {
  const Exchange& work = out.call.work;
  bool fine = begin(out, kAnnounces);
  Flight local = out.flight(out.copied()), rest = out.flight(out.targets());
  for (const Use& use : out.sources()) rest.uses.push_back(use);
  for (int i = 0; i < work.receive_count; i++) rest.receipts.push_back(out.receipt_of(work.receives[i]));
  rest.rest = work;
  rest.rest.phases = kAwaits | kFlushes;
  rest.end = out.call.way.kernel;
  for (Flight* one : {&local, &rest}) {
    out.record_done(*one);
    add_flight(std::move(*one));
  }
  return fine;
}

inline ncclResult_t submit(Pending& call) {
  Channel& channel = channel_of(call.comm);
  const Course& course = call.way.course;
  cudaStream_t stream = course.lane == kNoLane ? call.stream : lanes().streams.at(call.comm)[course.lane];
  Departure out = {call, channel, stream};
  for (int i = 0; i < call.work.receive_count; i++)
    wait_for_slot(call.comm, stream, out.receipt_of(call.work.receives[i]));
  bool one = course.placement == Placement::Stream && call.work.receive_count + call.work.copy_count < 2;
  bool whole = course.placement == Placement::Deferred || (course.placement == Placement::Stream && !course.by_message);
  bool fine = whole || one ? fly_whole(out) : course.by_message ? fly_by_message(out) : fly_split(out);
  return fine ? ncclSuccess : ncclUnhandledCudaError;
}
