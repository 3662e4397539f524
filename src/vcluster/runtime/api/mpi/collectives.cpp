// MPI's communicators and collectives.
#include <algorithm>
#include <complex>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/engine/stuck.h"
#include "vcluster/runtime/recording/traffic_record.h"
#include "vcluster/runtime/timing/mpi_time.h"

namespace cuco::vcluster {

namespace {

// Whoever has ended never made the call; others are kept from it.
void check_meeting(const MpiShared& shared, const MpiCollective& meeting) {
  auto came =
      std::find_if(meeting.parts.begin(), meeting.parts.end(), [](const MpiPart& each) { return each.process; });
  for (size_t rank = 0; came != meeting.parts.end() && rank < meeting.parts.size(); rank++) {
    if (meeting.parts[rank].process) continue;
    int missing = shared.members[rank];
    const Process& process = *world->processes[static_cast<size_t>(missing)];
    world->add_finding(process.ended ? "collective_mismatch" : "deadlock", missing,
                       concat(meeting.name, came->place, ": rank ", missing,
                              process.ended ? " never came; rank " : " has not come; rank ", missing, " ",
                              whereabouts(process, *process.devices[static_cast<size_t>(process.local_rank)])));
  }
}

std::shared_ptr<MpiShared> make_shared_part(std::vector<int> members) {
  auto shared = std::make_shared<MpiShared>();
  world->when_stuck([shared] {
    for (const auto& [sequence, meeting] : shared->collectives) check_meeting(*shared, meeting);
  });
  shared->unexpected.resize(members.size());
  shared->posted.resize(members.size());
  shared->members = std::move(members);
  return shared;
}

std::shared_ptr<MpiShared>& world_part() {
  static std::shared_ptr<MpiShared> shared;
  if (!shared) {
    std::vector<int> all(world->processes.size());
    for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<int>(i);
    shared = make_shared_part(std::move(all));
  }
  return shared;
}

// Complex numbers have no order.
template <typename T>
std::complex<T> combine(std::complex<T> a, std::complex<T> b, MPI_Op op) {
  return op == MPI_SUM ? a + b : op == MPI_PROD ? a * b : a;
}

template <typename T>
T combine(T a, T b, MPI_Op op) {
  switch (reinterpret_cast<uintptr_t>(op)) {
    case 1:
      return static_cast<T>(a + b);
    case 2:
      return static_cast<T>(a * b);
    case 3:
      return a < b ? b : a;
    case 4:
      return b < a ? b : a;
    case 5:
      return static_cast<T>(a && b);
    case 6:
      return static_cast<T>(a || b);
    case 10:
      return static_cast<T>(!a != !b);
  }
  if constexpr (std::is_integral_v<T>) {
    switch (reinterpret_cast<uintptr_t>(op)) {
      case 7:
        return static_cast<T>(a & b);
      case 8:
        return static_cast<T>(a | b);
      case 9:
        return static_cast<T>(a ^ b);
    }
  }
  return a;
}

template <typename T>
void reduce_as(void* into, const void* from, int count, MPI_Op op) {
  for (int i = 0; i < count; i++) {
    T a, b;
    std::memcpy(&a, static_cast<char*>(into) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<const char*>(from) + i * sizeof(T), sizeof(T));
    a = combine(a, b, op);
    std::memcpy(static_cast<char*>(into) + i * sizeof(T), &a, sizeof(T));
  }
}

// A value with an index: of equal values the lower index stays.
template <typename T>
void reduce_located(void* into, const void* from, int count, MPI_Op op) {
  struct Located {
    T value;
    int index;
  };
  auto* a = static_cast<Located*>(into);
  auto* b = static_cast<const Located*>(from);
  for (int i = 0; i < count; i++) {
    bool better = op == MPI_MINLOC ? b[i].value < a[i].value : a[i].value < b[i].value;
    if (better || (a[i].value == b[i].value && b[i].index < a[i].index)) a[i] = b[i];
  }
}

}  // namespace

void mpi_refuse(const char* what) {
  world->add_finding("abort", current_process().rank, concat("an MPI call", host_place(), " is given ", what));
  world->end_run("fault", 1);
}

cuco_mpi_comm& mpi_comm(MPI_Comm handle) {
  static std::map<std::pair<const Process*, int>, cuco_mpi_comm> predefined;
  if (handle != MPI_COMM_WORLD && handle != MPI_COMM_SELF) {
    cuco_mpi_comm* made = Handles<cuco_mpi_comm>::find(handle);
    if (!made) mpi_refuse("a communicator that was freed or never made");
    return *made;
  }
  const Process& self = current_process();
  bool is_world = handle == MPI_COMM_WORLD;
  cuco_mpi_comm& comm = predefined[{&self, is_world ? 1 : 2}];
  if (!comm.shared) {
    comm.shared = is_world ? world_part() : make_shared_part({self.rank});
    comm.rank = is_world ? self.rank : 0;
  }
  return comm;
}

size_t mpi_size_of(MPI_Datatype type) {
  auto code = reinterpret_cast<uintptr_t>(type);
  return code >> 32 ? code >> 32 : code & 0xff;
}

void mpi_reduce(void* into, const void* from, int count, MPI_Datatype type, MPI_Op op) {
  if (mpi_reduce_by_program(into, from, count, type, op)) return;
  switch (reinterpret_cast<uintptr_t>(type)) {
    case 0x101:
      return reduce_as<int8_t>(into, from, count, op);
    case 0x102:
      return reduce_as<int16_t>(into, from, count, op);
    case 0x104:
      return reduce_as<int32_t>(into, from, count, op);
    case 0x108:
      return reduce_as<int64_t>(into, from, count, op);
    case 0x201:
      return reduce_as<uint8_t>(into, from, count, op);
    case 0x202:
      return reduce_as<uint16_t>(into, from, count, op);
    case 0x204:
      return reduce_as<uint32_t>(into, from, count, op);
    case 0x208:
      return reduce_as<uint64_t>(into, from, count, op);
    case 0x408:
      return reduce_located<int>(into, from, count, op);
    case 0x508:
      return reduce_located<float>(into, from, count, op);
    case 0x610:
      return reduce_located<double>(into, from, count, op);
    case 0x710:
      return reduce_located<long>(into, from, count, op);
    case 0x808:
      return reduce_located<short>(into, from, count, op);
    case 0x304:
      return reduce_as<float>(into, from, count, op);
    case 0x308:
      return reduce_as<double>(into, from, count, op);
    case 0x310:
      return reduce_as<long double>(into, from, count, op);
    case 0x908:
      return reduce_as<std::complex<float>>(into, from, count, op);
    case 0xa10:
      return reduce_as<std::complex<double>>(into, from, count, op);
  }
}

void mpi_meet(MPI_Comm handle, const char* name, MpiPart part, const std::function<void(MpiCollective&)>& act) {
  world->settle_host_work();
  cuco_mpi_comm& comm = mpi_comm(handle);
  uint64_t sequence = comm.next_collective++;
  MpiCollective& meeting = comm.shared->collectives[sequence];
  if (meeting.parts.empty()) meeting.parts.resize(comm.shared->members.size()), meeting.name = name;
  if (meeting.name != name) {
    auto other =
        std::find_if(meeting.parts.begin(), meeting.parts.end(), [](const MpiPart& each) { return each.process; });
    world->add_finding("collective_mismatch", current_process().rank,
                       concat(name, host_place(), " meets ", meeting.name, other->place, " of rank ",
                              other->process->rank, "; it is collective ", sequence + 1, " on the communicator"));
    world->end_run("fault", 1);
  }
  if (part.type && mpi_has_gaps(part.type)) mpi_refuse("a datatype with gaps, which collectives do not take here");
  if (static_cast<size_t>(part.root) >= meeting.parts.size()) mpi_refuse("a root that its communicator does not have");
  part.process = &current_process();
  part.place = host_place();
  note_write_of_unknown_size(part.receive);
  meeting.parts[static_cast<size_t>(comm.rank)] = std::move(part);
  const void* place = &meeting;
  races().host_release(place);
  if (++meeting.arrived < meeting.parts.size()) {
    meeting.waiting.push_back(world->current_host);
    world->wait(concat("all ", meeting.parts.size(), " ranks in ", name));
    races().host_acquire(place);
    return;
  }
  world->note_progress();
  races().host_acquire(place);
  act(meeting);
  traffic_record().add_mpi(meeting, comm.shared->members);
  Time end = mpi_collective_end(meeting, comm.shared->members) + kMpiHop;
  for (HostThread* host : meeting.waiting) world->wake(*host, end);
  comm.shared->collectives.erase(sequence);
  world->pass_time(end - world->now());
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

namespace {

// The bytes from `offset` on of a buffer that the rank named, which must be its own.
char* bytes_at(const MpiPart& part, const void* buffer, size_t offset, size_t bytes) {
  char* begin = static_cast<char*>(const_cast<void*>(buffer)) + offset;
  check_buffer(*part.process, begin, bytes, "an MPI call");
  return begin;
}

// With MPI_IN_PLACE a rank's contribution already lies in its receive buffer.
const char* contribution(const MpiPart& part, size_t bytes) {
  return bytes_at(part, part.send == MPI_IN_PLACE ? part.receive : part.send, 0, bytes);
}

// The rank that came last reduces: a function of the program's is its own.
MPI_Op own_op(const MpiCollective& meeting) {
  auto own = std::ranges::find(meeting.parts, &current_process(), &MpiPart::process);
  return own == meeting.parts.end() ? meeting.parts.front().op : own->op;
}

void reduce_to_all(MpiCollective& meeting, bool to_all) {
  const MpiPart& first = meeting.parts.front();
  size_t bytes = static_cast<size_t>(first.count) * mpi_size_of(first.type);
  const char* begin = contribution(first, bytes);
  std::vector<char> sum(begin, begin + bytes);
  for (size_t rank = 1; rank < meeting.parts.size(); rank++)
    mpi_reduce(sum.data(), contribution(meeting.parts[rank], bytes), first.count, first.type, own_op(meeting));
  for (size_t rank = 0; rank < meeting.parts.size(); rank++) {
    const MpiPart& part = meeting.parts[rank];
    if (to_all || static_cast<int>(rank) == first.root)
      std::memcpy(bytes_at(part, part.receive, 0, bytes), sum.data(), bytes);
  }
}

void scan(MpiCollective& meeting, bool inclusive) {
  const MpiPart& first = meeting.parts.front();
  size_t bytes = static_cast<size_t>(first.count) * mpi_size_of(first.type);
  std::vector<char> sum;
  for (size_t rank = 0; rank < meeting.parts.size(); rank++) {
    MpiPart& part = meeting.parts[rank];
    const char* begin = contribution(part, bytes);
    std::vector<char> own(begin, begin + bytes);
    char* result = bytes_at(part, part.receive, 0, bytes);
    if (!inclusive && rank > 0) std::memcpy(result, sum.data(), bytes);
    if (rank == 0)
      sum = own;
    else
      mpi_reduce(sum.data(), own.data(), first.count, first.type, own_op(meeting));
    if (inclusive) std::memcpy(result, sum.data(), bytes);
  }
}

// Every rank's bytes to their place in the receive buffer of `target`.
void gather_into(MpiCollective& meeting, size_t target) {
  MpiPart& to = meeting.parts[target];
  for (size_t rank = 0; rank < meeting.parts.size(); rank++) {
    const MpiPart& from = meeting.parts[rank];
    size_t offset = to.receive_offsets.empty() ? rank * to.receive_bytes : to.receive_offsets[rank];
    if (from.send == MPI_IN_PLACE) {
      if (rank != target) {
        size_t own = from.receive_offsets.empty() ? rank * from.receive_bytes : from.receive_offsets[rank];
        size_t bytes = from.receive_counts.empty() ? from.receive_bytes : from.receive_counts[rank];
        std::memmove(bytes_at(to, to.receive, offset, bytes), bytes_at(from, from.receive, own, bytes), bytes);
      }
    } else {
      std::memmove(bytes_at(to, to.receive, offset, from.send_bytes), bytes_at(from, from.send, 0, from.send_bytes),
                   from.send_bytes);
    }
  }
}

void exchange_all(MpiCollective& meeting) {
  for (size_t to = 0; to < meeting.parts.size(); to++)
    for (size_t from = 0; from < meeting.parts.size(); from++) {
      const MpiPart& source = meeting.parts[from];
      const MpiPart& target = meeting.parts[to];
      size_t bytes = source.send_counts[to];
      std::memmove(bytes_at(target, target.receive, target.receive_offsets[from], bytes),
                   bytes_at(source, source.send, source.send_offsets[to], bytes), bytes);
    }
}

std::vector<size_t> scaled(const int* values, size_t count, MPI_Datatype type) {
  std::vector<size_t> result(count);
  for (size_t i = 0; i < count; i++) result[i] = static_cast<size_t>(values[i]) * mpi_size_of(type);
  return result;
}

// Ranks of equal color form a communicator, ordered by key and then by old rank.
void split(MpiCollective& meeting, const std::vector<int>& members) {
  std::map<int, std::vector<size_t>> by_color;
  for (size_t rank = 0; rank < meeting.parts.size(); rank++)
    if (meeting.parts[rank].color != MPI_UNDEFINED) by_color[meeting.parts[rank].color].push_back(rank);
  for (auto& [color, ranks] : by_color) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](size_t a, size_t b) { return meeting.parts[a].key < meeting.parts[b].key; });
    std::vector<int> old_members;
    for (size_t rank : ranks) old_members.push_back(members[rank]);
    auto shared = make_shared_part(old_members);
    for (size_t i = 0; i < ranks.size(); i++)
      *static_cast<MPI_Comm*>(meeting.parts[ranks[i]].out) =
          Handles<cuco_mpi_comm>::open(new cuco_mpi_comm{shared, static_cast<int>(i), 0});
  }
}

MpiPart reduction(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root) {
  MpiPart part;
  part.send = send, part.receive = receive, part.count = count, part.type = type, part.op = op, part.root = root;
  return part;
}

MpiPart movement(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, int root) {
  MpiPart part;
  part.send = send, part.send_bytes = static_cast<size_t>(send_count) * mpi_size_of(send_type);
  part.receive = receive, part.receive_bytes = static_cast<size_t>(receive_count) * mpi_size_of(receive_type);
  part.root = root;
  return part;
}

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  mpi_meet(comm, "MPI_Barrier", {}, [](MpiCollective&) {});
  return MPI_SUCCESS;
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Bcast", movement(buffer, count, type, buffer, count, type, root), [](MpiCollective& meeting) {
    const MpiPart& from = meeting.parts[static_cast<size_t>(meeting.parts.front().root)];
    for (MpiPart& to : meeting.parts)
      if (&to != &from)
        std::memcpy(bytes_at(to, to.receive, 0, from.send_bytes), bytes_at(from, from.send, 0, from.send_bytes),
                    from.send_bytes);
  });
  return MPI_SUCCESS;
}
int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Reduce", reduction(send, receive, count, type, op, root),
           [](MpiCollective& meeting) { reduce_to_all(meeting, false); });
  return MPI_SUCCESS;
}
int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Allreduce", reduction(send, receive, count, type, op, 0),
           [](MpiCollective& meeting) { reduce_to_all(meeting, true); });
  return MPI_SUCCESS;
}
int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Scan", reduction(send, receive, count, type, op, 0),
           [](MpiCollective& meeting) { scan(meeting, true); });
  return MPI_SUCCESS;
}
int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Exscan", reduction(send, receive, count, type, op, 0),
           [](MpiCollective& meeting) { scan(meeting, false); });
  return MPI_SUCCESS;
}
int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Gather", movement(send, send_count, send_type, receive, receive_count, receive_type, root),
           [root](MpiCollective& meeting) { gather_into(meeting, static_cast<size_t>(root)); });
  return MPI_SUCCESS;
}
int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
                const int displacements[], MPI_Datatype receive_type, int root, MPI_Comm comm) {
  MpiPart part = movement(send, send_count, send_type, receive, 0, receive_type, root);
  size_t size = mpi_comm(comm).shared->members.size();
  if (mpi_comm(comm).rank == root) {
    part.receive_offsets = scaled(displacements, size, receive_type);
    part.receive_counts = scaled(receive_counts, size, receive_type);
  }
  mpi_meet(comm, "MPI_Gatherv", std::move(part),
           [root](MpiCollective& meeting) { gather_into(meeting, static_cast<size_t>(root)); });
  return MPI_SUCCESS;
}
int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Allgather", movement(send, send_count, send_type, receive, receive_count, receive_type, 0),
           [](MpiCollective& meeting) {
             for (size_t rank = 0; rank < meeting.parts.size(); rank++) gather_into(meeting, rank);
           });
  return MPI_SUCCESS;
}
int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
                   const int displacements[], MPI_Datatype receive_type, MPI_Comm comm) {
  MpiPart part = movement(send, send_count, send_type, receive, 0, receive_type, 0);
  size_t size = mpi_comm(comm).shared->members.size();
  part.receive_offsets = scaled(displacements, size, receive_type);
  part.receive_counts = scaled(receive_counts, size, receive_type);
  mpi_meet(comm, "MPI_Allgatherv", std::move(part), [](MpiCollective& meeting) {
    for (size_t rank = 0; rank < meeting.parts.size(); rank++) gather_into(meeting, rank);
  });
  return MPI_SUCCESS;
}
int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) {
  mpi_meet(comm, "MPI_Scatter", movement(send, send_count, send_type, receive, receive_count, receive_type, root),
           [root](MpiCollective& meeting) {
             const MpiPart& from = meeting.parts[static_cast<size_t>(root)];
             for (size_t rank = 0; rank < meeting.parts.size(); rank++)
               if (meeting.parts[rank].receive != MPI_IN_PLACE)
                 std::memmove(bytes_at(meeting.parts[rank], meeting.parts[rank].receive, 0, from.send_bytes),
                              bytes_at(from, from.send, rank * from.send_bytes, from.send_bytes), from.send_bytes);
           });
  return MPI_SUCCESS;
}
int MPI_Alltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                  void* receive, const int receive_counts[], const int receive_displacements[],
                  MPI_Datatype receive_type, MPI_Comm comm) {
  MpiPart part = movement(send, 0, send_type, receive, 0, receive_type, 0);
  size_t size = mpi_comm(comm).shared->members.size();
  part.send_counts = scaled(send_counts, size, send_type);
  part.send_offsets = scaled(send_displacements, size, send_type);
  part.receive_counts = scaled(receive_counts, size, receive_type);
  part.receive_offsets = scaled(receive_displacements, size, receive_type);
  mpi_meet(comm, "MPI_Alltoall", std::move(part), exchange_all);
  return MPI_SUCCESS;
}
int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  size_t size = mpi_comm(comm).shared->members.size();
  std::vector<int> send_counts(size, send_count), receive_counts(size, receive_count), send_at(size), receive_at(size);
  for (size_t i = 0; i < size; i++) {
    send_at[i] = static_cast<int>(i) * send_count;
    receive_at[i] = static_cast<int>(i) * receive_count;
  }
  return MPI_Alltoallv(send, send_counts.data(), send_at.data(), send_type, receive, receive_counts.data(),
                       receive_at.data(), receive_type, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  MpiPart part;
  part.color = color, part.key = key, part.out = out;
  *out = MPI_COMM_NULL;
  mpi_meet(comm, "MPI_Comm_split", part,
           [&](MpiCollective& meeting) { split(meeting, mpi_comm(comm).shared->members); });
  return MPI_SUCCESS;
}
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* out) {
  return MPI_Comm_split(comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : current_process().node, key, out);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) { return MPI_Comm_split(comm, 0, mpi_comm(comm).rank, out); }
int MPI_Comm_free(MPI_Comm* comm) {
  delete Handles<cuco_mpi_comm>::close(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = mpi_comm(comm).rank;
  return MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(mpi_comm(comm).shared->members.size());
  return MPI_SUCCESS;
}
}
