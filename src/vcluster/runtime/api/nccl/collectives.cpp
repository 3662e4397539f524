// NCCL's collectives, sends and receives: how they meet, how long they take, what they move.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "base/ranges_text.h"
#include "base/text.h"
#include "vcluster/runtime/api/nccl/device_comm.h"
#include "vcluster/runtime/api/nccl/groups.h"
#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/checkers/collective_races.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/engine/stuck.h"
#include "vcluster/runtime/gpu/page_views.h"
#include "vcluster/runtime/harness/plain_outputs.h"
#include "vcluster/runtime/recording/access_recorder.h"
#include "vcluster/runtime/recording/traffic_record.h"
#include "vcluster/runtime/recording/validity.h"
#include "vcluster/runtime/timing/collective_time.h"
#include "vcluster/runtime/timing/links.h"

namespace cuco::vcluster {

namespace {

using model::Collective;

const char* bytes_at(const void* base, size_t offset) { return static_cast<const char*>(base) + offset; }

size_t bytes_of(const CollectiveCall& call) { return call.count * nccl_size_of(call.type); }

// "ncclReduce of 4 ncclFloat32 with ncclSum to rank 0".
std::string signature(const CollectiveCall& call) {
  return concat(model::callee_of(call.collective), " of ", call.count, " ", nccl_name_of(call.type),
                call.op < 0 ? "" : concat(" with ", nccl_name_of_op(call.op)),
                call.root < 0 ? "" : concat(", root ", call.root));
}

int world_rank_of(const CollectiveCall& call) { return call.comm->device().rank; }

// Ranks that differ from the first are one finding for each way to differ.
void check_equal(const std::vector<CollectiveCall>& calls) {
  const CollectiveCall& first = calls[0];
  std::map<std::string, size_t> findings;
  for (const CollectiveCall& call : calls) {
    if (signature(call) == signature(first)) continue;
    auto [known, is_new] = findings.try_emplace(signature(call) + call.place);
    if (is_new)
      known->second = world->add_finding(
          "collective_mismatch", world_rank_of(call),
          concat(signature(call), call.place, " meets ", signature(first), first.place, " of rank ",
                 world_rank_of(first), "; it is collective ", first.sequence + 1, " on the communicator"));
    world->add_rank(known->second, world_rank_of(call));
  }
  if (!findings.empty()) world->end_run("fault", 1);
}

constexpr size_t kPieceBytes = size_t{256} << 10;  // Stays in a processor's cache.

// The reduction of all ranks' elements [first, first + count), in rank order, in memory that is used again.
class Reduction {
 public:
  explicit Reduction(const std::vector<CollectiveCall>& calls) : calls_(calls), element_(nccl_size_of(calls[0].type)) {
    const std::map<int, double>& scales = calls[0].comm->shared->scale_of_op;
    if (auto scale = scales.find(calls[0].op); scale != scales.end()) scale_ = &scale->second;
  }

  const std::vector<char>& of(size_t first, size_t count) {
    take(calls_[0], first, count, sum_);
    for (size_t rank = 1; rank < calls_.size(); rank++) {
      take(calls_[rank], first, count, part_);
      nccl_reduce(sum_.data(), part_.data(), count, calls_[0].type, calls_[0].op);
    }
    if (calls_[0].op == ncclAvg)
      nccl_scale(sum_.data(), count, calls_[0].type, 1.0 / static_cast<double>(calls_.size()));
    return sum_;
  }

 private:
  void take(const CollectiveCall& call, size_t first, size_t count, std::vector<char>& into) const {
    const char* from = bytes_at(call.send, first * element_);
    into.assign(from, from + count * element_);
    if (scale_) nccl_scale(into.data(), count, call.type, *scale_);
  }

  const std::vector<CollectiveCall>& calls_;
  size_t element_;
  const double* scale_ = nullptr;  // Of a pre-multiplied sum.
  std::vector<char> sum_, part_;
};

// Parts of a message that no rank has ever written: whatever reduces zeros makes zeros of them.
class ZeroParts {
 public:
  ZeroParts(const std::vector<CollectiveCall>& calls, size_t offset, const std::vector<char*>& receivers)
      : calls_(calls), offset_(offset), receivers_(receivers) {}

  // Asked in order, for each piece of a message of `bytes` bytes, that at `at`.
  bool have_given(size_t at, size_t bytes) {
    if (bytes < kPartBytes) return false;
    if (at % kPartBytes != 0) return is_zero_;
    const size_t part = std::min(kPartBytes, bytes - at);
    is_zero_ = std::ranges::all_of(
        calls_, [&](const CollectiveCall& call) { return is_untouched(bytes_at(call.send, offset_ + at), part); });
    for (char* receiver : receivers_)
      if (is_zero_ && !is_untouched(receiver + at, part)) zero_memory(receiver + at, part);
    return is_zero_;
  }

 private:
  const std::vector<CollectiveCall>& calls_;
  size_t offset_;
  const std::vector<char*>& receivers_;
  bool is_zero_ = false;
};

// What several ranks receive is reduced once.
void reduce_messages(const std::vector<CollectiveCall>& calls) {
  const int ranks = static_cast<int>(calls.size());
  const size_t count = calls[0].count, element = nccl_size_of(calls[0].type), piece = kPieceBytes / element;
  std::map<size_t, std::vector<char*>> receivers;  // By message of the send buffers.
  for (int rank = 0; rank < ranks; rank++)
    for (const model::ReceivedMessage& one : model::messages_for(calls[0].collective, rank, calls[0].root, ranks))
      receivers[one.message].push_back(static_cast<char*>(calls[static_cast<size_t>(rank)].receive));
  Reduction reduction(calls);
  for (const auto& [message, buffers] : receivers) {
    ZeroParts zeros(calls, message * count * element, buffers);
    for (size_t first = 0; first < count; first += piece) {
      const size_t taken = std::min(piece, count - first);
      if (zeros.have_given(first * element, count * element)) continue;
      const std::vector<char>& sum = reduction.of(message * count + first, taken);
      for (char* buffer : buffers) std::memcpy(buffer + first * element, sum.data(), sum.size());
    }
  }
}

void move_messages(const std::vector<CollectiveCall>& calls) {
  const int ranks = static_cast<int>(calls.size());
  const size_t bytes = bytes_of(calls[0]);
  for (int rank = 0; rank < ranks; rank++) {
    char* to = static_cast<char*>(calls[static_cast<size_t>(rank)].receive);
    for (const model::ReceivedMessage& one : model::messages_for(calls[0].collective, rank, calls[0].root, ranks)) {
      copy_memory(to, bytes_at(calls[one.from[0]].send, one.message * bytes), bytes);
      to += bytes;
    }
  }
}

// The buffers of a call share memory in another way than as NCCL's in-place forms do, which give each message the place
// that it has.
bool overlaps_oddly(const CollectiveCall& call) {
  const model::CollectiveTraits& traits = model::traits_of(call.collective);
  const int rank = call.comm->rank, count = call.comm->size();
  const size_t bytes = bytes_of(call), sent = model::messages_sent(call.collective, rank, call.root, count) * bytes,
               received = model::messages_received(call.collective, rank, call.root, count) * bytes;
  const char *send = bytes_at(call.send, 0), *receive = bytes_at(call.receive, 0);
  if (send >= receive + received || receive >= send + sent) return false;
  if (traits.sends_to_each && traits.receives_from_each) return true;
  const size_t own = static_cast<size_t>(rank) * bytes;
  return send + (traits.sends_to_each ? own : 0) != receive + (traits.receives_from_each ? own : 0);
}

uintptr_t sent_from(const CollectiveCall& call, size_t message) {
  return reinterpret_cast<uintptr_t>(bytes_at(call.send, message * bytes_of(call)));
}

// Elements that all ranks have right, of the message of each.
std::vector<Validity::Range> valid_everywhere(const std::vector<CollectiveCall>& calls, size_t message) {
  size_t bytes = bytes_of(calls[0]), element = nccl_size_of(calls[0].type);
  std::vector<Validity::Range> common = {{0, bytes}};
  for (const CollectiveCall& call : calls) {
    std::vector<Validity::Range> narrower;
    for (const Validity::Range& range : common)
      for (const Validity::Range& own :
           validity().provided_ranges(sent_from(call, message) + range.begin, range.end - range.begin)) {
        uintptr_t begin = own.begin - sent_from(call, message), end = own.end - sent_from(call, message);
        narrower.push_back({(begin + element - 1) / element * element, end / element * element});
      }
    std::erase_if(narrower, [](const Validity::Range& range) { return range.begin >= range.end; });
    common = std::move(narrower);
  }
  return common;
}

TakenBytes taken_sum(const std::vector<CollectiveCall>& calls, size_t message) {
  TakenBytes taken;
  taken.size = bytes_of(calls[0]);
  size_t element = nccl_size_of(calls[0].type);
  Reduction reduction(calls);
  for (const Validity::Range& range : valid_everywhere(calls, message)) {
    const std::vector<char>& sum =
        reduction.of(message * calls[0].count + range.begin / element, (range.end - range.begin) / element);
    taken.valid.push_back({range.begin, std::string(sum.begin(), sum.end())});
  }
  return taken;
}

// Of a run whose results are compared: what is valid where it was sent is so where it comes.
class ValidMessages {
 public:
  explicit ValidMessages(const std::vector<CollectiveCall>& calls) : calls_(calls) {
    for (size_t rank = 0; rank < calls.size(); rank++) {
      auto to = reinterpret_cast<uintptr_t>(calls[rank].receive);
      for (const model::ReceivedMessage& one : model::messages_for(calls[0].collective, static_cast<int>(rank),
                                                                   calls[0].root, static_cast<int>(calls.size()))) {
        given_.emplace_back(to, &taken(one));
        to += bytes_of(calls[0]);
      }
    }
  }

  void arrive() {
    for (const auto& [to, bytes] : given_) validity().give(to, *bytes);
  }

 private:
  const TakenBytes& taken(const model::ReceivedMessage& one) {
    bool reduces = model::is_reduction(calls_[0].collective);
    auto [found, is_new] = taken_.try_emplace({reduces ? 0 : one.from[0], one.message});
    if (!is_new) return found->second;
    size_t bytes = bytes_of(calls_[0]);
    // What is moved whole is read by others than this.
    if (world->moves(bytes))
      for (size_t rank : one.from) validity().provide(sent_from(calls_[rank], one.message), bytes);
    found->second =
        reduces ? taken_sum(calls_, one.message) : validity().take(sent_from(calls_[one.from[0]], one.message), bytes);
    return found->second;
  }

  const std::vector<CollectiveCall>& calls_;
  std::map<std::pair<size_t, size_t>, TakenBytes> taken_;  // By rank and message.
  std::vector<std::pair<uintptr_t, const TakenBytes*>> given_;
};

// All inputs are read before any output is written where the order of messages would show.
void move_whole(const std::vector<CollectiveCall>& calls) {
  note_collective(calls);
  std::vector<CollectiveCall> from = calls;
  std::vector<std::vector<char>> kept(calls.size());
  for (size_t rank = 0; rank < calls.size(); rank++) {
    if (!overlaps_oddly(calls[rank])) continue;
    const CollectiveCall& call = calls[rank];
    const char* send = bytes_at(call.send, 0);
    kept[rank].assign(send, send + bytes_of(call) * model::messages_sent(call.collective, call.comm->rank, call.root,
                                                                         call.comm->size()));
    from[rank].send = kept[rank].data();
  }
  if (model::is_reduction(calls[0].collective))
    reduce_messages(from);
  else
    move_messages(from);
}

void move_data(const std::vector<CollectiveCall>& calls) {
  std::optional<ValidMessages> valid;
  if (keeps_validity) valid.emplace(calls);
  if (world->moves(bytes_of(calls[0]))) move_whole(calls);
  if (valid) valid->arrive();
}

CollectiveShape shape_of(const CollectiveCall& call) {
  return {call.collective, static_cast<double>(bytes_of(call)), call.comm->size(), call.comm->shared->lsa_size()};
}

const Device& device_at(const NcclShared& shared, int rank) {
  return *shared.members[static_cast<size_t>(rank)].device;
}

// What the caller's rank sends for this call.
Work traffic_of(const CollectiveCall& call) {
  if (call.collective == Collective::Recv) return {};
  if (call.collective != Collective::Send) return traffic_of(shape_of(call));
  bool inside = device_at(*call.comm->shared, call.peer).node == call.comm->device().node;
  Work work;
  (inside ? work.inside_bytes : work.between_bytes) = static_cast<double>(bytes_of(call));
  return work;
}

// What was measured for this call, if anything was.
const model::CollectiveCurve* curve_of(const CollectiveCall& call) {
  const std::vector<model::CollectiveCurve>& curves = world->options.profile.collectives;
  if (curves.empty()) return nullptr;
  auto is_registered = [](const void* buffer) { return buffer == nullptr || lies_in_window(buffer); };
  return model::find_curve(curves, call.collective, is_registered(call.send) && is_registered(call.receive));
}

// A curve is of all ranks of the profile; fewer or more are priced by the links.
Time duration_of(const CollectiveCall& call) {
  const model::Topology& topology = world->options.profile.topology;
  const model::CollectiveCurve* curve = curve_of(call);
  if (curve && call.comm->size() == static_cast<int>(topology.rank_count()))
    return from_us(model::time_us(*curve, static_cast<double>(bytes_of(call))));
  return collective_time(shape_of(call), topology, world->costs.collective);
}

void start_collective(const CollectiveCall& call) {
  NcclShared& shared = *call.comm->shared;
  CollectiveMeeting& meeting = shared.collectives[call.sequence];
  if (meeting.calls.empty()) meeting.calls.resize(shared.members.size());
  meeting.calls[static_cast<size_t>(call.comm->rank)] = call;
  if (++meeting.arrived < shared.members.size()) return;
  auto calls = std::make_shared<std::vector<CollectiveCall>>(std::move(meeting.calls));
  shared.collectives.erase(call.sequence);
  check_equal(*calls);
  Time duration = duration_of(call);
  for (const NcclShared::Member& member : shared.members)
    world->timeline.add_span(member.device->rank, Category::Communication, world->now(), world->now() + duration);
  world->events.at(world->now() + duration, [calls] {
    order_collective(*calls);
    move_data(*calls);
    traffic_record().add_collective(*calls);
    world->done.collectives++;
    for (const CollectiveCall& done : *calls) done.on_done();
  });
}

// The time of the smallest message is latency, and what more bytes take is the sender's turn on its link.
Time end_by_curve(const model::CollectiveCurve& curve, LinkQueue& way_out, double bytes) {
  Time latency = from_us(curve.us.front()), whole = from_us(model::time_us(curve, bytes));
  return way_out.take(world->now() + latency, whole - latency).end;
}

// Half a collective, and the sender's link when it has sent what came before.
Time end_of_transfer(const NcclShared& shared, std::pair<int, int> pair, const CollectiveCall& send) {
  auto bytes = static_cast<double>(bytes_of(send));
  Device& from = *shared.members[static_cast<size_t>(pair.first)].device;
  const Device& to = device_at(shared, pair.second);
  const model::Topology& topology = world->options.profile.topology;
  bool crosses = from.node != to.node && topology.between;
  const std::optional<model::Link>& link = crosses ? topology.between : topology.inside;
  Time end = world->now() + world->costs.collective / 2;
  const model::CollectiveCurve* curve = crosses || &from == &to ? nullptr : curve_of(send);
  if (curve)
    end = end_by_curve(*curve, from.inside, bytes);
  else if (link && &from != &to)
    end = (crosses ? from.between : from.inside).send(end, *link, bytes).end;
  for (const Device* device : std::initializer_list<const Device*>{&from, &to})
    world->timeline.add_span(device->rank, Category::Communication, world->now(), end);
  return end;
}

void match_transfers(NcclShared& shared, std::pair<int, int> pair) {
  std::deque<CollectiveCall>& sends = shared.sends[pair];
  std::deque<CollectiveCall>& receives = shared.receives[pair];
  while (!sends.empty() && !receives.empty()) {
    CollectiveCall send = sends.front(), receive = receives.front();
    sends.pop_front();
    receives.pop_front();
    if (bytes_of(send) != bytes_of(receive)) {
      world->add_finding(
          "collective_mismatch", world_rank_of(receive),
          concat("ncclSend of ", bytes_of(send), " bytes", send.place, " from rank ", world_rank_of(send),
                 " meets ncclRecv of ", bytes_of(receive), " bytes", receive.place));
      world->end_run("fault", 1);
    }
    Time end = end_of_transfer(shared, pair, send);
    world->events.at(end, [send, receive] {
      order_transfer(send, receive);
      traffic_record().add_message(send, receive);
      check_copy(receive.receive, send.send, bytes_of(send), concat("ncclSend", send.place));
      world->done.collectives++;
      move_bytes(receive.receive, send.send, bytes_of(send));
      send.on_done();
      receive.on_done();
    });
  }
}

void start_transfer(const CollectiveCall& call) {
  NcclShared& shared = *call.comm->shared;
  bool sends = call.collective == Collective::Send;
  std::pair<int, int> pair = sends ? std::pair(call.comm->rank, call.peer) : std::pair(call.peer, call.comm->rank);
  (sends ? shared.sends : shared.receives)[pair].push_back(call);
  match_transfers(shared, pair);
}

std::string describe(const std::vector<CollectiveCall>& calls) {
  std::set<std::string> names;
  for (const CollectiveCall& call : calls)
    names.insert(concat(model::callee_of(call.collective),
                        is_transfer(call.collective) ? concat(" with rank ", call.peer) : std::string()));
  return join({names.begin(), names.end()}, ", ");
}

// Nothing that is queued on the rank's device could still join.
bool is_idle(const NcclShared& shared, size_t rank) {
  const auto& streams = shared.members[rank].device->streams;
  return std::all_of(streams.begin(), streams.end(), [](const auto& stream) { return stream->idle(); });
}

// Whoever can still come is kept from it by something else, which is a deadlock; whoever cannot never made the call.
struct Absence {
  const char* kind;
  const char* verb;
};
Absence absence_of(const NcclShared& shared, size_t rank) {
  return is_idle(shared, rank) ? Absence{"collective_mismatch", " never came"} : Absence{"deadlock", " has not come"};
}

std::string whereabouts_of(const NcclShared& shared, size_t rank) {
  const NcclShared::Member& member = shared.members[rank];
  return concat("rank ", member.device->rank, " ", whereabouts(*member.process, *member.device));
}

// A finding for each rank that is missing, the first of those that came named with its line.
void check_meeting(const NcclShared& shared, uint64_t sequence, const CollectiveMeeting& meeting) {
  std::vector<int> came;
  const CollectiveCall* first = nullptr;
  for (const CollectiveCall& call : meeting.calls) {
    if (!call.comm) continue;
    if (!first) first = &call;
    came.push_back(world_rank_of(call));
  }
  std::set<const Device*> devices;
  for (const NcclShared::Member& member : shared.members) devices.insert(member.device);
  std::string clash = devices.size() < shared.members.size()
                          ? "; ranks of this communicator share a GPU, which NCCL does not allow"
                          : "";
  for (size_t rank = 0; rank < meeting.calls.size(); rank++) {
    if (meeting.calls[rank].comm) continue;
    Absence absence = absence_of(shared, rank);
    int missing = shared.members[rank].device->rank;
    world->add_finding(absence.kind, missing,
                       concat(model::callee_of(first->collective), first->place, ", collective ", sequence + 1,
                              " on its communicator, has ", ranks_text(came.front(), {came.begin() + 1, came.end()}),
                              ": rank ", missing, absence.verb, "; ", whereabouts_of(shared, rank), clash));
  }
}

void check_transfer(const NcclShared& shared, const CollectiveCall& call) {
  auto peer = static_cast<size_t>(call.peer);
  bool sends = call.collective == Collective::Send;
  Absence absence = absence_of(shared, peer);
  world->add_finding(
      absence.kind, world_rank_of(call),
      concat(sends ? "ncclSend to rank " : "ncclRecv from rank ", shared.members[peer].device->rank, call.place,
             ": its ", sends ? "ncclRecv" : "ncclSend", absence.verb, "; ", whereabouts_of(shared, peer)));
}

}  // namespace

void check_setup(const HostMeeting& meeting, const std::vector<NcclShared::Member>& members) {
  if (meeting.done || meeting.arrived == 0) return;
  for (size_t rank = 0; rank < meeting.parts.size(); rank++) {
    if (meeting.parts[rank]) continue;
    const NcclShared::Member* member = rank < members.size() ? &members[rank] : nullptr;
    int missing = member ? member->device->rank : static_cast<int>(rank);
    std::string where =
        member ? concat("; rank ", missing, " ", whereabouts(*member->process, *member->device)) : std::string();
    world->add_finding(
        "collective_mismatch", missing,
        concat(meeting.name, meeting.place, " of ", meeting.expected, " ranks: rank ", missing, " never came", where));
  }
}

void check_pending(const NcclShared& shared) {
  for (const auto& [sequence, meeting] : shared.setups) check_setup(*meeting, shared.members);
  for (const auto& [sequence, meeting] : shared.collectives) check_meeting(shared, sequence, meeting);
  for (const auto* transfers : {&shared.sends, &shared.receives})
    for (const auto& [pair, calls] : *transfers)
      for (const CollectiveCall& call : calls) check_transfer(shared, call);
}

bool NcclShared::spans_nodes() const {
  for (const Member& member : members)
    if (member.device->node != members.front().device->node) return true;
  return false;
}

int NcclShared::lsa_size() const {
  int same = 0;
  for (const Member& member : members) same += member.device->node == members.front().device->node;
  return same;
}

namespace {

void start_calls(const std::vector<CollectiveCall>& calls, Operation& operation, Device& device, uint32_t sm) {
  auto left = std::make_shared<size_t>(calls.size());
  for (CollectiveCall call : calls) {
    operation.work += traffic_of(call);
    call.race_id = operation.race_id;
    call.on_done = [left, sm, &device, &operation] {
      if (--*left > 0) return;
      operation.finish();
      device.leave(sm);
    };
    if (is_transfer(call.collective))
      start_transfer(call);
    else
      start_collective(call);
  }
}

// The calls of a group on one stream are one operation: they make progress together.
OperationPtr submit_together(Stream& stream, std::vector<CollectiveCall> calls) {
  for (CollectiveCall& call : calls)
    if (!is_transfer(call.collective) && call.sequence == CollectiveCall::kUnnumbered)
      call.sequence = call.comm->next_collective++;
  for (const CollectiveCall& call : calls) access_recorder().on_call(call, stream);
  std::string what = describe(calls), place = calls.front().place;
  auto shared_calls = std::make_shared<std::vector<CollectiveCall>>(std::move(calls));
  return stream.submit(
      what, world->costs.launch,
      [shared_calls, what, place, &device = stream.device()](Operation& self) {
        plain_outputs().on_group(self.rank, *shared_calls);
        device.admit(what + place,
                     [shared_calls, &self, &device](uint32_t sm) { start_calls(*shared_calls, self, device, sm); });
      },
      place);
}

}  // namespace

void submit_calls(Stream& stream, std::vector<CollectiveCall> calls) {
  stream.issue([calls = std::move(calls)](Stream& on) { return submit_together(on, calls); });
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;
using cuco::model::Collective;

namespace {

CollectiveCall call_of(Collective collective, const void* send, void* receive, size_t count, ncclDataType_t type,
                       ncclComm_t comm) {
  CollectiveCall call;
  call.collective = collective, call.send = send, call.receive = receive, call.count = count, call.type = type;
  call.comm = comm_of(comm);
  call.place = host_place();
  return call;
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::AllReduce, send, receive, count, type, comm);
  call.op = op;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Reduce, send, receive, count, type, comm);
  call.op = op, call.root = root;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::ReduceScatter, send, receive, count, type, comm);
  call.op = op;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Broadcast, send, receive, count, type, comm);
  call.root = root;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return nccl_enqueue(call_of(Collective::AllGather, send, receive, count, type, comm), stream);
}
ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return nccl_enqueue(call_of(Collective::AlltoAll, send, receive, count, type, comm), stream);
}
ncclResult_t ncclGather(const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Gather, send, receive, count, type, comm);
  call.root = root;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Scatter, send, receive, count, type, comm);
  call.root = root;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Send, send, nullptr, count, type, comm);
  call.peer = peer;
  if (!call.comm || peer < 0 || peer >= call.comm->size()) return ncclInvalidArgument;
  return nccl_enqueue(std::move(call), stream);
}
ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  CollectiveCall call = call_of(Collective::Recv, nullptr, receive, count, type, comm);
  call.peer = peer;
  if (!call.comm || peer < 0 || peer >= call.comm->size()) return ncclInvalidArgument;
  return nccl_enqueue(std::move(call), stream);
}
}
