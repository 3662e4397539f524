// Exchanges beside the program's work, and kernels of the program beside each other.
//
// An exchange that runs on a stream of communication, or that was only begun, is a transfer under way: which bytes it
// reads and writes is remembered, and the program's stream goes on. The program says what its own work does:
//   before(stream, {reads(p), writes(q)})  the stream waits for transfers that touch these bytes
//   after(stream, {reads(p), writes(q)})   transfers that touch these bytes wait for the work just queued
//   wait_all()                             the stream of every call waits for what is under way: before the host or an
//                                          event looks at the stream
//   untracked()                            work is queued that nobody tells of: exchanges called from here on wait
//                                          for all that their stream holds at the call
//   fence(stream)                          exchanges of calls on this stream do not start before this point of it
// reads and writes speak of everything from the pointer to the end of its window, reads_at and writes_at only of the
// message that the pointer lies in. So an exchange begins when the last work on its own bytes is done, wherever its
// call stands, and the first work on them waits for it. Reading what an exchange only reads waits for nothing.
//
// All of this is by host thread: a rank is a thread or a process. Calls keep their order in a stream, and streams
// belong to one communicator, so ranks that agree on the order of calls cannot block each other.
#pragma once

#include <cuco/comm/collectives.cuh>

namespace cuco::comm {

constexpr size_t kWorksMax = 256,
                 kTransfersMax = 512;  // Remembered; beyond that exchanges wait for more than they need.

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
  uint32_t sequence;
};

// An exchange, or the part of one that is complete at once.
struct Transfer {
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
  uint64_t begun = 0;      // Blocks of communication up to those that announced it.
  bool in_blocks = false;  // Blocks of the launch that follows wait for it.

  cudaStream_t runs_on() const { return ended ? ended_on : begun_on; }
};

// Exchanges are awaited on a second stream, so that none keeps the next from leaving.
struct StreamPair {
  cudaStream_t out, in;
};

struct Overlap {
  std::map<ncclComm_t, std::vector<StreamPair>> streams;
  size_t calls = 0;               // On any of them, reductions apart.
  uint64_t time = 0, untold = 0;  // Of the last mark, and of the last untracked().
  std::map<cudaStream_t, Floor> floors;
  std::map<std::pair<cudaStream_t, cudaStream_t>, uint64_t> known;  // How much of the second the first has waited for.
  std::vector<Work> works;
  std::vector<Transfer> transfers;
  std::vector<cudaEvent_t> spare;
  bool readers_wait = false;                      // Blocks of a kernel that reads, else its stream.
  std::map<cudaStream_t, uint64_t> passed_begun;  // How many started blocks a stream has waited for.
  void (*launch_kept)() = nullptr;  // Launches in slices that are kept until somebody asks for what they write.
};
inline Overlap& overlap() {
  thread_local Overlap all;
  return all;
}

// Calls take the streams in turn, so that a short message called behind long ones does not wait for them to leave.
// Within a stream the order of calls is kept, so whichever its peers take, the first call that is not done can
// always go on.
inline StreamPair next_streams(ncclComm_t comm) {
  const std::vector<StreamPair>& all = overlap().streams.at(comm);
  return all[overlap().calls++ % all.size()];
}

inline cudaEvent_t take_event() {
  cudaEvent_t event = nullptr;
  if (overlap().spare.empty()) {
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return event;
  }
  event = overlap().spare.back();
  overlap().spare.pop_back();
  return event;
}

inline void record(Mark& mark, cudaStream_t stream) {
  if (mark.event == nullptr) mark.event = take_event();
  cudaEventRecord(mark.event, stream);
  mark.stream = stream;
  mark.time = ++overlap().time;
}
inline void wait_for(const Mark& mark, cudaStream_t stream) {
  uint64_t& known = overlap().known[{stream, mark.stream}];
  if (stream == mark.stream || known >= mark.time) return;
  cudaStreamWaitEvent(stream, mark.event, 0);
  known = mark.time;
}

inline void untracked() { overlap().untold = ++overlap().time; }
inline void fence(cudaStream_t stream) { record(overlap().floors[stream].mark, stream); }
inline void launch_kept() {
  if (overlap().launch_kept != nullptr) overlap().launch_kept();
}

inline void drop(size_t transfer) {
  std::vector<Transfer>& transfers = overlap().transfers;
  if (transfers[transfer].done != nullptr) overlap().spare.push_back(transfers[transfer].done);
  transfers.erase(transfers.begin() + (ptrdiff_t)transfer);
}

// Work of the program beside its other work. A launch whose uses are all told runs on a stream of its own, which waits
// for the work and exchanges that touch the same bytes and for nothing else of the stream that the program named.
constexpr size_t kSideStreamsMax = 8;

inline std::vector<Mark>& side_streams() {
  thread_local std::vector<Mark> all;
  return all;
}
// Those of launches in slices, by the number of the slice.
inline std::vector<Mark>& streams_of_slices() {
  thread_local std::vector<Mark> all;
  return all;
}

inline bool has_side_streams() { return !side_streams().empty() || !streams_of_slices().empty(); }

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

// Nothing is left to do of it when the stream has passed this point.
inline void end_on(cudaStream_t stream, Transfer& transfer) {
  if (transfer.done == nullptr) transfer.done = take_event();
  cudaEventRecord(transfer.done, stream);
  transfer.ended = true, transfer.ended_on = stream, transfer.end = nullptr;
}

// Makes a stream wait for transfers. What is left of several with the same kernel is done by one launch.
class TransferWait {
 public:
  explicit TransferWait(cudaStream_t stream) : stream_(stream) {}

  void add(Transfer& transfer) {
    for (cudaStream_t one : transfer.joined)
      if (one == stream_) return;
    transfer.joined.push_back(stream_);
    if (transfer.done != nullptr && transfer.runs_on() != stream_) cudaStreamWaitEvent(stream_, transfer.done, 0);
    if (transfer.end == nullptr) return;
    ended_.push_back(&transfer);
    Piece& rest = rest_for(transfer);
    rest.phases |= transfer.rest;
    rest.receives.insert(rest.receives.end(), transfer.awaited.begin(), transfer.awaited.end());
  }
  void launch() {
    for (const Ending& one : endings_)
      run(one.rest, one.kernel, 1, threads_of(Issue::Warp), channel_of(one.comm), stream_);
    // Messages are awaited once; other streams wait for this one.
    for (Transfer* transfer : ended_) end_on(stream_, *transfer);
  }

 private:
  struct Ending {
    ExchangeKernel kernel;
    ncclComm_t comm;
    Piece rest;
  };

  Piece& rest_for(const Transfer& transfer) {
    bool fits = !endings_.empty() && endings_.back().kernel == transfer.end && endings_.back().comm == transfer.comm;
    if (!fits) endings_.push_back({transfer.end, transfer.comm, {0, {}, {}, {}}});
    return endings_.back().rest;
  }

  cudaStream_t stream_;
  std::vector<Ending> endings_;
  std::vector<Transfer*> ended_;
};

inline bool has_slot_of(const Transfer& transfer, ncclComm_t comm, const std::vector<Receipt>& receipts) {
  if (transfer.comm != comm) return false;
  const uint32_t slots = channel_of(comm).endpoint.slots;
  for (const Receipt& own : transfer.receipts)
    for (const Receipt& one : receipts)
      if (own.network == one.network && own.peer == one.peer && own.sequence + slots == one.sequence) return true;
  return false;
}

template <typename Wanted>
void wait_for_those(cudaStream_t stream, Wanted is_wanted) {
  TransferWait transfer_wait(stream);
  for (Transfer& transfer : overlap().transfers)
    if (is_wanted(transfer)) transfer_wait.add(transfer);
  transfer_wait.launch();
}

// For the transfers that touch the same bytes, and for those with messages in the slots that `receipts` need.
inline void join(cudaStream_t stream, const std::vector<Use>& uses, ncclComm_t comm,
                 const std::vector<Receipt>& receipts) {
  wait_for_those(stream, [&](const Transfer& transfer) {
    return conflict(transfer.uses, uses) || has_slot_of(transfer, comm, receipts);
  });
}

// Work on these bytes that the stream has not waited for yet; the latest, which makes most of the others known.
inline const Mark* latest_work(cudaStream_t stream, const std::vector<Use>& uses) {
  const Mark* latest = nullptr;
  for (const Work& work : overlap().works) {
    bool known = work.mark.stream == stream || overlap().known[{stream, work.mark.stream}] >= work.mark.time;
    bool later = latest == nullptr || work.mark.time > latest->time;
    if (!known && later && conflict(work.uses, uses)) latest = &work.mark;
  }
  return latest;
}

// Other work on the same bytes, wherever it runs, comes first.
inline void wait_for_works(cudaStream_t stream, const std::vector<Use>& uses) {
  while (const Mark* mark = latest_work(stream, uses)) wait_for(*mark, stream);
}

// `stream` goes on after everything beside it.
inline void wait_for_side_streams(cudaStream_t stream) {
  for (std::vector<Mark>* all : {&side_streams(), &streams_of_slices()})
    for (Mark& one : *all) {
      record(one, one.stream);
      wait_for(one, stream);
    }
}

inline void before(cudaStream_t stream, const std::vector<Use>& uses) {
  launch_kept();
  join(stream, uses, nullptr, {});
  if (has_side_streams()) wait_for_works(stream, uses);
}

inline bool same(const std::vector<Use>& a, const std::vector<Use>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (a[i].begin != b[i].begin || a[i].end != b[i].end || a[i].writes != b[i].writes) return false;
  return true;
}

inline void after(cudaStream_t stream, const std::vector<Use>& uses) {
  std::vector<Work>& works = overlap().works;
  for (Work& work : works)
    if (work.mark.stream == stream && same(work.uses, uses)) return record(work.mark, stream);
  if (works.size() == kWorksMax) {
    for (const auto& floor : overlap().floors) wait_for_side_streams(floor.first);
    untracked();
    for (const Work& work : works) overlap().spare.push_back(work.mark.event);
    works.clear();
  }
  works.push_back({uses, {}});
  record(works.back().mark, stream);
}

inline void wait_all() {
  launch_kept();
  for (const auto& floor : overlap().floors) {
    wait_for_those(floor.first, [&](const Transfer& transfer) { return transfer.home == floor.first; });
    wait_for_side_streams(floor.first);
  }
  if (has_side_streams()) untracked();
}

// The stream goes on when nothing is under way.
inline void wait_for_transfers(cudaStream_t stream) {
  launch_kept();
  wait_for_those(stream, [](const Transfer&) { return true; });
  wait_for_side_streams(stream);
}

// The last work on these bytes.
inline uint64_t ready_time(const Use& use) {
  uint64_t time = 0;
  for (const Work& work : overlap().works)
    if (work.mark.time > time && conflict(work.uses, {use})) time = work.mark.time;
  return time;
}

// Before an exchange of a call on `home` may touch these bytes on `stream`, and announce messages. The slot of a
// message is free when the message before it in that slot has come.
inline void prepare(cudaStream_t stream, cudaStream_t home, const std::vector<Use>& uses, ncclComm_t comm,
                    const std::vector<Receipt>& receipts) {
  join(stream, uses, comm, receipts);
  Floor& floor = overlap().floors[home];
  if (stream != home && floor.told <= overlap().untold) {
    record(floor.mark, home);
    floor.told = floor.mark.time;
  }
  if (stream != home) wait_for(floor.mark, stream);
  wait_for_works(stream, uses);
}

inline bool covers(const Transfer& later, const Transfer& earlier) {
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

// Whoever waits for a transfer has waited for those that it waited for.
inline void add_transfer(Transfer transfer) {
  std::vector<Transfer>& transfers = overlap().transfers;
  if (transfer.uses.empty()) return;
  for (size_t i = transfers.size(); i-- > 0;) {
    if (!covers(transfer, transfers[i])) continue;
    for (const Receipt& old : transfers[i].receipts) transfer.receipts.push_back(old);
    drop(i);
  }
  while (transfer.receipts.size() > 4 * kMessages * channel_of(transfer.comm).endpoint.slots)
    transfer.receipts.erase(transfer.receipts.begin());
  transfers.push_back(std::move(transfer));
}

// Before the transfers of a call are added.
inline void make_room() {
  if (overlap().transfers.size() < kTransfersMax) return;
  wait_all();
  untracked();
  while (!overlap().transfers.empty()) drop(0);
}

// The streams are used in turn. They take part in the order of the legacy stream, as the program's own may.
inline cudaStream_t side_stream(cudaStream_t home, const std::vector<Use>& uses) {
  thread_local size_t turn = 0;
  std::vector<Mark>& all = side_streams();
  if (all.size() < kSideStreamsMax) {
    all.push_back({});
    cudaStreamCreate(&all.back().stream);
  }
  launch_kept();
  cudaStream_t stream = all[turn++ % all.size()].stream;
  prepare(stream, home, uses, nullptr, {});
  return stream;
}

// An exchange of moves on its way out.
struct Outgoing {
  Pending& call;
  Channel& channel;
  cudaStream_t stream, arrivals;           // That its kernels run on, and those that wait for its messages.
  std::vector<Transfer> copied_here = {};  // Its copies so far.
  bool arrivals_follow = false;            // The announcements, which is all that they need.

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
    return {over_network(channel, call.route.via, message.peer), message.peer, message.sequence};
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
      result =
          run(piece, call.route.kernel, blocks, width_of(piece, call.route.issue, call.route.via), channel, stream);
    return result;
  }
  cudaError_t copy(const std::vector<Copy>& copies) {
    cudaError_t result = cudaSuccess;
    for (const Copy& one : copies) {
      if (result == cudaSuccess)
        result = cudaMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToDevice, stream);
      copied_here.push_back(transfer({{one.from, one.from + one.bytes, false}, {one.to, one.to + one.bytes, true}}));
      record_done(copied_here.back());
    }
    return result;
  }
  // On the stream of arrivals, which has waited for the announcements.
  cudaError_t await(int phases, const std::vector<Message>& messages) const {
    return run({phases, {}, messages, {}}, call.route.kernel, 1, threads_of(Issue::Warp), channel, arrivals);
  }
  Transfer transfer(std::vector<Use> uses) const { return {call.comm, call.stream, stream, std::move(uses), {}}; }
  // A message that somebody has to wait for.
  Transfer awaited(const Message& message) const {
    Transfer one = transfer({use_of(message, true)});
    one.receipts = {receipt_of(message)};
    one.rest = kAwaits;
    one.awaited = {message};
    one.end = call.route.kernel;
    return one;
  }
  // Everything that was launched so far.
  void record_done(Transfer& transfer) const {
    if (transfer.uses.empty()) return;
    transfer.done = take_event();
    cudaEventRecord(transfer.done, transfer.begun_on);
  }
  void add_copies() {
    for (Transfer& local : copied_here) add_transfer(std::move(local));
  }
  void let_arrivals_follow() {
    arrivals_follow = true;
    if (arrivals == stream) return;
    Mark begun;
    record(begun, stream);
    cudaStreamWaitEvent(arrivals, begun.event, 0);
    overlap().spare.push_back(begun.event);
  }
};

inline std::vector<Use> together(std::vector<Use> uses, const std::vector<Use>& others) {
  uses.insert(uses.end(), others.begin(), others.end());
  return uses;
}

// Sends and copies by the time of the last work on what they read.
inline std::map<uint64_t, Piece> pieces_by_time(const Outgoing& out) {
  std::map<uint64_t, Piece> pieces;
  for (const Message& send : out.call.work.sends) pieces[ready_time(out.use_of(send, false))].sends.push_back(send);
  for (const Copy& copy : out.call.work.copies)
    pieces[ready_time({copy.from, copy.from + copy.bytes, false})].copies.push_back(copy);
  return pieces;
}

inline std::vector<Use> uses_of(const Outgoing& out, const Piece& piece) {
  std::vector<Use> uses = out.uses_of(piece.sends, false);
  for (const Copy& copy : piece.copies) {
    uses.push_back({copy.from, copy.from + copy.bytes, false});
    uses.push_back({copy.to, copy.to + copy.bytes, true});
  }
  return uses;
}

// All announcements first: a peer whose send comes before its receives waits for them.
inline cudaError_t begin_in_pieces(Outgoing& out, std::map<uint64_t, Piece> pieces) {
  cudaError_t result = cudaSuccess;
  out.prepare_for(out.targets(), out.receipts());
  if (!out.call.work.receives.empty()) result = out.launch({kAnnounces, {}, out.call.work.receives, {}}, 1);
  out.let_arrivals_follow();
  for (auto& piece : pieces) {
    piece.second.phases = 0;
    out.prepare_for(uses_of(out, piece.second), {});
    if (result == cudaSuccess) result = out.launch(piece.second, out.call.route.blocks);
  }
  return result;
}

// What remains to be done of an exchange whose messages have been announced and sent: stores are over with the kernel
// that makes them, and who receives nothing has nothing to wait for.
inline int left_behind_sends(const Outgoing& out) {
  bool flushes = !out.call.work.sends.empty() && out.call.route.via != Via::Lsa;
  return (out.call.work.receives.empty() ? 0 : kAwaits) | (flushes ? kFlushes : 0);
}

// In one kernel, with `phases`, or in pieces that end before the waiting; `left` is what then remains.
inline cudaError_t begin(Outgoing& out, int phases, int& left) {
  std::map<uint64_t, Piece> pieces;
  if (out.call.route.by_message && out.stream != out.call.stream) pieces = pieces_by_time(out);
  left = pieces.size() > 1 ? left_behind_sends(out) : kAllPhases & ~phases;
  if (pieces.size() > 1) return begin_in_pieces(out, std::move(pieces));
  out.prepare_for(together(out.targets(), uses_of(out, out.call.work)), out.receipts());
  out.call.work.phases = phases;
  return out.launch(out.call.work, out.call.route.blocks);
}

// Complete as a whole when the stream has passed it.
inline cudaError_t end_as_one(Outgoing& out, int left) {
  cudaError_t result = cudaSuccess;
  if (left != 0) result = out.launch({left, {}, out.call.work.receives, {}}, 1);
  Transfer transfer = out.transfer(together(out.targets(), uses_of(out, out.call.work)));
  transfer.receipts = out.receipts();
  out.record_done(transfer);
  add_transfer(std::move(transfer));
  for (const Transfer& local : out.copied_here) overlap().spare.push_back(local.done);
  return result;
}

// Each message is complete by itself: on a stream when that has passed its kernel, else by a kernel where it is used.
inline cudaError_t end_by_message(Outgoing& out) {
  cudaError_t result = cudaSuccess;
  bool on_stream = out.call.route.placement == Placement::Stream, awaits = on_stream;
  if (overlap().readers_wait) awaits = false;  // By who reads it: blocks of a kernel, else its stream.
  Transfer sent = out.transfer(out.sources());
  out.add_copies();
  if (!out.arrivals_follow) out.let_arrivals_follow();
  for (const Message& message : out.call.work.receives) {
    Transfer one = out.awaited(message);
    if (awaits) one.begun_on = out.arrivals, one.end = nullptr;
    if (awaits && result == cudaSuccess) result = out.await(kAwaits, {message});
    if (awaits) out.record_done(one);
    one.begun = hooks().launched;
    add_transfer(std::move(one));
  }
  bool flushes = (left_behind_sends(out) & kFlushes) != 0;
  if (flushes && on_stream) out.let_arrivals_follow();
  if (flushes && on_stream) sent.begun_on = out.arrivals;
  if (flushes && on_stream && result == cudaSuccess) result = out.await(kFlushes, {});
  sent.rest = kFlushes;
  sent.end = flushes && !on_stream ? out.call.route.kernel : nullptr;
  out.record_done(sent);
  add_transfer(std::move(sent));
  return result;
}

// Begun here; what is left is done where its bytes are used.
inline void end_where_used(Outgoing& out, int left) {
  Transfer rest = out.transfer(together(out.targets(), out.sources()));
  out.add_copies();
  rest.receipts = out.receipts();
  rest.rest = left;
  rest.awaited = out.call.work.receives;
  rest.end = out.call.route.kernel;
  out.record_done(rest);
  add_transfer(std::move(rest));
}

// What a rank sends to itself: copied whole it would wait for the last of the work on it.
inline void cut_copies(const Route& route, std::vector<Copy>& copies) {
  std::vector<Copy> uncut;
  if (route.chunk_bytes > 0 && route.cut == Cut::SmallAtEnds) uncut.swap(copies);
  for (const Copy& copy : uncut)
    cut_bytes(route, copy.bytes, [&](size_t begin, size_t end) {
      if (begin < end) copies.push_back({copy.to + begin, copy.from + begin, end - begin});
    });
}

inline void close_side_streams() {
  for (std::vector<Mark>* all : {&side_streams(), &streams_of_slices()}) {
    for (const Mark& one : *all) {
      cudaStreamDestroy(one.stream);
      if (one.event != nullptr) cudaEventDestroy(one.event);
    }
    all->clear();
  }
}

inline void forget_everything() {
  for (const auto& floor : overlap().floors)
    if (floor.second.mark.event != nullptr) cudaEventDestroy(floor.second.mark.event);
  for (const Work& work : overlap().works) cudaEventDestroy(work.mark.event);
  for (cudaEvent_t event : overlap().spare) cudaEventDestroy(event);
  cudaFree(hooks().begun);
  hooks().begun = nullptr, hooks().launched = 0;
  overlap() = Overlap();
}

// Windows end with their communicator, so nothing may be under way.
inline void close_overlap(ncclComm_t comm) {
  if (overlap().streams.count(comm) == 0) return;
  wait_all();
  cudaDeviceSynchronize();
  for (size_t i = overlap().transfers.size(); i-- > 0;)
    if (overlap().transfers[i].comm == comm) drop(i);
  for (const StreamPair& pair : overlap().streams[comm])
    for (cudaStream_t stream : {pair.out, pair.in}) cudaStreamDestroy(stream);
  overlap().streams.erase(comm);
  if (!overlap().streams.empty()) return;
  close_side_streams();
  forget_everything();
}

inline ncclResult_t count_begun(ncclComm_t comm) {
  uint64_t*& begun = hooks().begun;
  overlap().readers_wait = true;
  if (begun == nullptr && (cudaMalloc(&begun, sizeof *begun) != cudaSuccess ||
                           cudaMemsetAsync(begun, 0, sizeof *begun, channel_of(comm).set_up) != cudaSuccess))
    return ncclUnhandledCudaError;
  return ncclSuccess;
}
// For Site and Options.
struct OverlapRoute {
  static ncclResult_t submit(Pending& call) {
    launch_kept();
    const Route& route = call.route;
    cut_copies(route, call.work.copies);
    StreamPair streams = {call.stream, call.stream};
    if (route.stream != kCallersStream) streams = next_streams(call.comm);
    Outgoing out = {call, channel_of(call.comm), streams.out, streams.in};
    bool one = call.work.receives.size() + call.work.copies.size() < 2;
    if (overlap().readers_wait) one = false;  // Readers wait for it themselves.
    bool as_one =
        route.placement == Placement::AtCall || (route.placement == Placement::Stream && (one || !route.by_message));
    int left = 0;
    make_room();
    cudaError_t result = begin(out, as_one ? kAllPhases : kAnnounces, left);
    if (result != cudaSuccess) return ncclUnhandledCudaError;
    if (as_one)
      result = end_as_one(out, left);
    else if (route.by_message)
      result = end_by_message(out);
    else
      end_where_used(out, left);
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
  static ncclResult_t open(ncclComm_t comm, const Options& options) {
    int least = 0, greatest = 0;
    if (cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess) return ncclUnhandledCudaError;
    if (options.waiting_blocks && count_begun(comm) != ncclSuccess) return ncclUnhandledCudaError;
    int priority = options.stream_priority == Priority::Default ? 0
                   : options.stream_priority == Priority::High  ? greatest
                                                                : least;
    hooks().wait_for_transfers = wait_for_transfers;
    hooks().untracked = untracked;
    call_at_close(close_overlap);
    std::vector<StreamPair>& own = overlap().streams[comm];
    for (int i = 0; i < options.stream_count; i++) {
      own.push_back({});
      for (cudaStream_t* stream : {&own.back().out, &own.back().in})
        if (cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, priority) != cudaSuccess)
          return ncclUnhandledCudaError;
    }
    return ncclSuccess;
  }
};

}  // namespace cuco::comm
