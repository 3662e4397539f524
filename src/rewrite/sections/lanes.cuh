
// Communication beside the program's work.
//
// A lane is a stream of communication alone. An exchange that runs on one, or that was only begun, is in flight: which
// bytes it reads and writes is remembered, and the program's stream goes on. The program says what its own work does:
//   before(stream, {reads(p), writes(q)})  the stream waits for exchanges in flight that touch these bytes
//   after(stream, {reads(p), writes(q)})   exchanges that touch these bytes wait for the work just queued
//   await_all()                            the stream of every call waits for what is in flight: before the host or an
//                                          event looks at the stream
//   passed()                               work is queued that nobody tells of: exchanges called from here on wait for
//                                          all that their stream holds at the call
//   passed(stream)                         exchanges of calls on this stream do not start before this point of it
// reads and writes speak of everything from the pointer to the end of its window, reads_at and writes_at only of the
// message that the pointer lies in. So an exchange begins when the last work on its own bytes is done, wherever its
// call stands, and the first work on them waits for it. Reading what an exchange only reads waits for nothing.
//
// All of this is by host thread: a rank is a thread or a process. Calls keep their order in a lane, and lanes belong to
// one communicator, so ranks that agree on the order of calls cannot block each other.
constexpr int kLanes = CUCO_LANES;
constexpr size_t kWorksMax = 256, kFlightsMax = 512;  // Remembered; beyond that exchanges wait for more than they need.

struct Use {
  const char *begin, *end;
  bool writes;
};
inline bool conflict(const Use& a, const Use& b) {
  return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
}
inline bool conflict(const std::vector<Use>& all, const std::vector<Use>& others) {
  for (const Use& a : all)
    for (const Use& b : others)
      if (conflict(a, b)) return true;
  return false;
}

// A place in a stream. Times count all marks of the thread, so later ones have larger times.
struct Mark {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  uint64_t time = 0;
};

// Where exchanges of calls on a stream start at the earliest.
struct Floor {
  Mark mark;
  uint64_t told = 0;  // All work up to this time is below it.
};

struct Work {
  std::vector<Use> uses;
  Mark mark;
};

struct Receipt {
  bool network;
  int peer;
  uint32_t number;
};

// An exchange, or the part of one that is complete at once.
struct Flight {
  ncclComm_t comm;
  cudaStream_t home, begun_on;  // The stream of the call; the stream of its kernels.
  std::vector<Use> uses;
  std::vector<Receipt> receipts;
  cudaEvent_t done = nullptr;    // Nothing but `rest` is left when it has passed.
  ExchangeKernel end = nullptr;  // Does `rest`, on the stream that waits; nullptr when nothing is left.
  int rest = 0;                  // Phases.
  std::vector<Message> awaited = {};
  std::vector<cudaStream_t> joined = {};  // Streams that have waited for it.
  bool ended = false;
  cudaStream_t ended_on = nullptr;
  CUCO_FLIGHT_BEGUN;

  cudaStream_t runs_on() const { return ended ? ended_on : begun_on; }
};

// Exchanges are awaited on a second stream, so that none keeps the next from leaving.
struct Lane {
  cudaStream_t out, in;
};

struct Lanes {
  std::map<ncclComm_t, std::vector<Lane>> streams;
  size_t calls = 0;               // On any of them, reductions apart.
  uint64_t time = 0, untold = 0;  // Of the last mark, and of the last passed().
  std::map<cudaStream_t, Floor> floors;
  std::map<std::pair<cudaStream_t, cudaStream_t>, uint64_t> known;  // How much of the second the first has waited for.
  std::vector<Work> works;
  std::vector<Flight> flights;
  std::vector<cudaEvent_t> spare;
  CUCO_BEGUN_STATE;
};
inline Lanes& lanes() {
  thread_local Lanes all;
  return all;
}

// Calls take the lanes in turn, so that a short message called behind long ones does not wait for them to leave. Within a
// lane the order of calls is kept, so whichever lanes its peers take, the first call that is not done can always go on.
inline Lane next_lane(ncclComm_t comm) {
  const std::vector<Lane>& all = lanes().streams.at(comm);
  return all[lanes().calls++ % all.size()];
}

inline cudaEvent_t take_event() {
  cudaEvent_t event = nullptr;
  if (lanes().spare.empty()) {
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return event;
  }
  event = lanes().spare.back();
  lanes().spare.pop_back();
  return event;
}

inline void record(Mark& mark, cudaStream_t stream) {
  if (mark.event == nullptr) mark.event = take_event();
  cudaEventRecord(mark.event, stream);
  mark.stream = stream;
  mark.time = ++lanes().time;
}
inline void wait_for(const Mark& mark, cudaStream_t stream) {
  uint64_t& known = lanes().known[{stream, mark.stream}];
  if (stream == mark.stream || known >= mark.time) return;
  cudaStreamWaitEvent(stream, mark.event, 0);
  known = mark.time;
}

inline void passed() { lanes().untold = ++lanes().time; }
inline void passed(cudaStream_t stream) { record(lanes().floors[stream].mark, stream); }
void await_all();
CUCO_BESIDE_DECLARED;
CUCO_SLICES_DECLARED;

inline ncclResult_t open_lanes(ncclComm_t comm) {
  int least = 0, greatest = 0;
  if (cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess) return ncclUnhandledCudaError;
  CUCO_OPEN_BEGUN;
  std::vector<Lane>& own = lanes().streams[comm];
  for (int i = 0; i < kLanes; i++) {
    own.push_back({});
    for (cudaStream_t* stream : {&own.back().out, &own.back().in})
      if (cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, CUCO_PRIORITY) != cudaSuccess)
        return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}

inline void drop(size_t flight) {
  std::vector<Flight>& flights = lanes().flights;
  if (flights[flight].done != nullptr) lanes().spare.push_back(flights[flight].done);
  flights.erase(flights.begin() + (ptrdiff_t)flight);
}

inline void forget_everything() {
  for (const auto& floor : lanes().floors)
    if (floor.second.mark.event != nullptr) cudaEventDestroy(floor.second.mark.event);
  for (const Work& work : lanes().works) cudaEventDestroy(work.mark.event);
  for (cudaEvent_t event : lanes().spare) cudaEventDestroy(event);
  CUCO_CLOSE_BEGUN;
  lanes() = Lanes();
}

// Windows end with their communicator, so nothing may be under way.
inline void close_lanes(ncclComm_t comm) {
  if (lanes().streams.count(comm) == 0) return;
  await_all();
  cudaDeviceSynchronize();
  for (size_t i = lanes().flights.size(); i-- > 0;)
    if (lanes().flights[i].comm == comm) drop(i);
  for (const Lane& lane : lanes().streams[comm])
    for (cudaStream_t stream : {lane.out, lane.in}) cudaStreamDestroy(stream);
  lanes().streams.erase(comm);
  if (!lanes().streams.empty()) return;
  CUCO_CLOSE_BESIDE;
  forget_everything();
}
