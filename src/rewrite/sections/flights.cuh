
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

// Makes a stream wait for flights. What is left of several with the same kernel is done by one launch.
class Arrival {
 public:
  explicit Arrival(cudaStream_t stream) : stream_(stream) {}

  void add(Flight& flight) {
    for (cudaStream_t one : flight.joined)
      if (one == stream_) return;
    flight.joined.push_back(stream_);
    if (flight.done != nullptr && flight.runs_on() != stream_) cudaStreamWaitEvent(stream_, flight.done, 0);
    if (flight.end == nullptr) return;
    ended_.push_back(&flight);
    Piece& rest = rest_for(flight);
    rest.phases |= flight.rest;
    rest.receives.insert(rest.receives.end(), flight.awaited.begin(), flight.awaited.end());
  }
  void launch() {
    for (const Ending& one : endings_) run(one.rest, one.kernel, 1, threads_of(Issue::Warp), channel_of(one.comm), stream_);
    // Messages are awaited once; other streams wait for this one.
    for (Flight* flight : ended_) {
      if (flight->done == nullptr) flight->done = take_event();
      cudaEventRecord(flight->done, stream_);
      flight->ended = true;
      flight->ended_on = stream_;
      flight->end = nullptr;
    }
  }

 private:
  struct Ending {
    ExchangeKernel kernel;
    ncclComm_t comm;
    Piece rest;
  };

  Piece& rest_for(const Flight& flight) {
    bool fits = !endings_.empty() && endings_.back().kernel == flight.end && endings_.back().comm == flight.comm;
    if (!fits) endings_.push_back({flight.end, flight.comm, {0, {}, {}, {}}});
    return endings_.back().rest;
  }

  cudaStream_t stream_;
  std::vector<Ending> endings_;
  std::vector<Flight*> ended_;
};

inline bool has_slot_of(const Flight& flight, ncclComm_t comm, const std::vector<Receipt>& receipts) {
  for (const Receipt& own : flight.receipts)
    for (const Receipt& one : receipts)
      if (flight.comm == comm && own.network == one.network && own.peer == one.peer &&
          own.number + kSlots == one.number)
        return true;
  return false;
}

// For the flights that touch the same bytes, and for those with messages in the slots that `receipts` need.
inline void join(cudaStream_t stream, const std::vector<Use>& uses, ncclComm_t comm,
                 const std::vector<Receipt>& receipts) {
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights)
    if (conflict(flight.uses, uses) || has_slot_of(flight, comm, receipts)) arrival.add(flight);
  arrival.launch();
}

inline void before(cudaStream_t stream, const std::vector<Use>& uses) {
  CUCO_LAUNCH_SLICES;
  join(stream, uses, nullptr, {});
  CUCO_AFTER_WORKS;
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
    CUCO_JOIN_BESIDE;
    passed();
    for (const Work& work : works) lanes().spare.push_back(work.mark.event);
    works.clear();
  }
  works.push_back({uses, {}});
  record(works.back().mark, stream);
}

inline void await_all() {
  CUCO_LAUNCH_SLICES;
  for (const auto& floor : lanes().floors) {
    Arrival arrival(floor.first);
    for (Flight& flight : lanes().flights)
      if (flight.home == floor.first) arrival.add(flight);
    arrival.launch();
    CUCO_AFTER_BESIDE;
  }
  CUCO_PASSED_BESIDE;
}

// The stream goes on when nothing is in flight.
inline void land(cudaStream_t stream) {
  CUCO_LAUNCH_SLICES;
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights) arrival.add(flight);
  arrival.launch();
  CUCO_LAND_BESIDE;
}

// The last work on these bytes.
inline uint64_t ready_time(const Use& use) {
  uint64_t time = 0;
  for (const Work& work : lanes().works)
    if (work.mark.time > time && conflict(work.uses, {use})) time = work.mark.time;
  return time;
}

// Work on these bytes that the stream has not waited for yet; the latest, which makes most of the others known.
inline const Mark* latest_work(cudaStream_t stream, const std::vector<Use>& uses) {
  const Mark* latest = nullptr;
  for (const Work& work : lanes().works) {
    bool known = work.mark.stream == stream || lanes().known[{stream, work.mark.stream}] >= work.mark.time;
    bool later = latest == nullptr || work.mark.time > latest->time;
    if (!known && later && conflict(work.uses, uses)) latest = &work.mark;
  }
  return latest;
}

// Before an exchange of a call on `home` may touch these bytes on `stream`, and announce messages. The slot of a
// message is free when the message before it in that slot has come.
inline void prepare(cudaStream_t stream, cudaStream_t home, const std::vector<Use>& uses, ncclComm_t comm,
                    const std::vector<Receipt>& receipts) {
  join(stream, uses, comm, receipts);
  Floor& floor = lanes().floors[home];
  if (stream != home && floor.told <= lanes().untold) {
    record(floor.mark, home);
    floor.told = floor.mark.time;
  }
  if (stream != home) wait_for(floor.mark, stream);
  while (const Mark* mark = latest_work(stream, uses)) wait_for(*mark, stream);
}

inline bool covers(const Flight& later, const Flight& earlier) {
  if (later.comm != earlier.comm) return false;
  if (later.begun_on != earlier.begun_on && !conflict(later.uses, earlier.uses)) return false;
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
  flights.push_back(std::move(flight));
}

// Before the flights of a call are added.
inline void make_room() {
  if (lanes().flights.size() < kFlightsMax) return;
  await_all();
  passed();
  while (!lanes().flights.empty()) drop(0);
}
