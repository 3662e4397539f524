
// The bytes from a pointer to the end of its window; none when it lies in no window.
inline Use use_from(const void* pointer, bool writes) {
  const char* byte = (const char*)pointer;
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const Allocation& one : state().allocations)
    if (one.base <= byte && byte < one.base + window_bytes(one.bytes))
      return {byte, one.base + window_bytes(one.bytes), writes};
  return {byte, byte, writes};
}
inline Use reads(const void* pointer) { return use_from(pointer, false); }
inline Use writes(const void* pointer) { return use_from(pointer, true); }
inline Use reads_at(const void* pointer) { return {(const char*)pointer, (const char*)pointer + 1, false}; }
inline Use writes_at(const void* pointer) { return {(const char*)pointer, (const char*)pointer + 1, true}; }

// Makes a stream wait for flights. What is left of those of one kernel and communicator is done by one launch.
class Arrival {
 public:
  explicit Arrival(cudaStream_t stream) : stream_(stream) {}

  void add(Flight& flight) {
    for (cudaStream_t one : flight.joined)
      if (one == stream_) return;
    flight.joined.push_back(stream_);
    if (flight.done != nullptr && flight.runs_on != stream_) cudaStreamWaitEvent(stream_, flight.done, 0);
    if (flight.end == nullptr) return;
    std::vector<Message>& rest = rest_[{flight.comm, flight.end}];
    rest.insert(rest.end(), flight.awaited.begin(), flight.awaited.end());
    flushes_ |= flight.rest & kFlushes;
  }
  void launch() {
    for (const auto& rest : rest_) launch(rest.first.second, channel_of(rest.first.first), rest.second);
  }

 private:
  // As many as the arguments of a launch hold at a time; one launch when there is only something to flush.
  void launch(ExchangeKernel end, Channel& channel, const std::vector<Message>& receives) {
    size_t begin = 0;
    do {
      Exchange work = {kAwaits | flushes_, 0, 0, 0, {}, {}, {}};
      for (; begin < receives.size() && work.receive_count < kMessages; begin++)
        work.receives[work.receive_count++] = receives[begin];
      void* arguments[] = {&channel.endpoint, &work};
      cudaLaunchKernel((const void*)end, 1, kThreads, arguments, 0, stream_);
    } while (begin < receives.size());
  }

  cudaStream_t stream_;
  std::map<std::pair<ncclComm_t, ExchangeKernel>, std::vector<Message>> rest_;
  int flushes_ = 0;
};

inline void before(cudaStream_t stream, const std::vector<Use>& uses) {
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights)
    if (conflict(flight.uses, uses)) arrival.add(flight);
  arrival.launch();
}

inline bool same(const std::vector<Use>& a, const std::vector<Use>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (a[i].begin != b[i].begin || a[i].end != b[i].end || a[i].writes != b[i].writes) return false;
  return true;
}

inline void after(cudaStream_t stream, const std::vector<Use>& uses) {
  std::vector<Work>& works = lanes().works;
  for (Work& work : works)
    if (work.mark.stream == stream && same(work.uses, uses)) return record(work.mark, stream);
  if (works.size() == kWorksMax) {
    passed();
    for (const Work& work : works) lanes().spare.push_back(work.mark.event);
    works.clear();
  }
  works.push_back({uses, {}});
  record(works.back().mark, stream);
}

inline void await_all() {
  for (const auto& floor : lanes().floors) {
    Arrival arrival(floor.first);
    for (Flight& flight : lanes().flights)
      if (flight.home == floor.first) arrival.add(flight);
    arrival.launch();
  }
}

// The stream goes on when nothing is in flight.
inline void land(cudaStream_t stream) {
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights) arrival.add(flight);
  arrival.launch();
}

// The last work on these bytes.
inline uint64_t ready_time(const Use& use) {
  uint64_t time = 0;
  for (const Work& work : lanes().works)
    if (work.mark.time > time && conflict(work.uses, {use})) time = work.mark.time;
  return time;
}

// Before an exchange of a call on `home` may touch these bytes on `stream`.
inline void prepare(cudaStream_t stream, cudaStream_t home, const std::vector<Use>& uses) {
  before(stream, uses);
  Floor& floor = lanes().floors[home];
  if (stream == home) return;
  if (floor.told <= lanes().untold) {
    record(floor.mark, home);
    floor.told = floor.mark.time;
  }
  wait_for(floor.mark, stream);
  // The latest first: it makes most of the others known.
  for (;;) {
    const Mark* latest = nullptr;
    for (const Work& work : lanes().works) {
      bool known = lanes().known[{stream, work.mark.stream}] >= work.mark.time;
      bool later = latest == nullptr || work.mark.time > latest->time;
      if (!known && later && conflict(work.uses, uses)) latest = &work.mark;
    }
    if (latest == nullptr) return;
    wait_for(*latest, stream);
  }
}

// The slot of a message is free when the message before it in that slot has come.
inline void wait_for_slot(ncclComm_t comm, cudaStream_t stream, const Receipt& wanted) {
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights)
    for (const Receipt& one : flight.receipts)
      if (flight.comm == comm && one.network == wanted.network && one.peer == wanted.peer &&
          one.number + kSlots == wanted.number)
        arrival.add(flight);
  arrival.launch();
}

inline bool covers(const Flight& later, const Flight& earlier) {
  if (later.comm != earlier.comm) return false;
  if (later.runs_on != earlier.runs_on && !conflict(later.uses, earlier.uses)) return false;
  for (const Use& use : earlier.uses) {
    bool inside = false;
    for (const Use& outer : later.uses)
      inside |= outer.begin <= use.begin && use.end <= outer.end && outer.writes >= use.writes;
    if (!inside) return false;
  }
  return true;
}

// Whoever waits for a flight has waited for those that it waited for.
inline void add_flight(Flight flight) {
  std::vector<Flight>& flights = lanes().flights;
  if (flight.uses.empty()) return;
  for (size_t i = flights.size(); i-- > 0;) {
    if (!covers(flight, flights[i])) continue;
    for (const Receipt& old : flights[i].receipts) flight.receipts.push_back(old);
    drop(i);
  }
  while (flight.receipts.size() > 4 * kMessages * kSlots) flight.receipts.erase(flight.receipts.begin());
  if (flights.size() == kFlightsMax) {
    await_all();
    passed();
    while (!flights.empty()) drop(0);
  }
  flights.push_back(std::move(flight));
}
