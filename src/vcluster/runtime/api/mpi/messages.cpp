// MPI's point-to-point messages, its set-up and odds and ends.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/recording/traffic_record.h"
#include "vcluster/runtime/timing/mpi_time.h"

using namespace cuco::vcluster;

namespace {

constexpr size_t kEagerBytesMax = 64u << 10;  // Larger sends wait for their receive, as MPI libraries do it.

std::map<const Process*, int>& initialised() {
  static std::map<const Process*, int> states;  // 1: initialised, 2: finalised.
  return states;
}

void complete(cuco_mpi_request* request, Time at) {
  request->done = true;
  request->at = at;
  world->note_progress();
  if (request->waiting) world->wake(*request->waiting, at + kMpiHop);
  request->waiting = nullptr;
}

bool matches(const MpiReceive& receive, const MpiMessage& message) {
  return (receive.source == MPI_ANY_SOURCE || receive.source == message.source) &&
         (receive.tag == MPI_ANY_TAG || receive.tag == message.tag);
}

void deliver(const MpiReceive& receive, const MpiMessage& message, int from, int to) {
  const void* data = message.copy.empty() ? message.data : message.copy.data();
  size_t bytes = std::min(message.bytes, receive.bytes_max);
  if (bytes > 0) std::memcpy(receive.target, data, bytes);
  note_write_of_unknown_size(receive.target);
  receive.request->status = {message.source, message.tag, MPI_SUCCESS, bytes};
  if (message.bytes > receive.bytes_max)
    world->add_finding("message_truncated", to,
                       cuco::concat("a message of ", message.bytes, " bytes from rank ", from, " with tag ",
                                    message.tag, " met a receive of ", receive.bytes_max, receive.request->place));
  Time at = mpi_arrival(from, to, bytes);
  complete(receive.request, at);
  if (message.sender) complete(message.sender, at);
}

int world_rank(const cuco_mpi_comm& comm, int rank) { return comm.shared->members[static_cast<size_t>(rank)]; }

const void* mailbox_of(const cuco_mpi_comm& comm, int rank) {
  return world->processes[static_cast<size_t>(world_rank(comm, rank))].get();
}

void note_host_buffer(const void* data, size_t bytes, AccessKind kind, const char* what) {
  Access access;
  access.address = reinterpret_cast<uintptr_t>(data), access.bytes = static_cast<uint32_t>(bytes), access.kind = kind;
  host_races().on_access(access, cuco::concat(what, at_call_site(), " uses the memory of"));
}

void post_send(const void* data, size_t bytes, int target, int tag, MPI_Comm handle, cuco_mpi_request* request,
               bool synchronous) {
  world->settle_host_work();
  cuco_mpi_comm& comm = mpi_comm(handle);
  if (target < 0 || static_cast<size_t>(target) >= comm.shared->members.size())
    mpi_refuse("a rank that its communicator does not have");
  check_buffer(current_process(), data, bytes, "a message sent");
  note_host_buffer(data, bytes, AccessKind::Read, "the message sent");
  MpiMessage message;
  message.source = comm.rank, message.tag = tag, message.bytes = bytes, message.data = data;
  const std::vector<int>& members = comm.shared->members;
  traffic_record().add({members[static_cast<size_t>(comm.rank)], members[static_cast<size_t>(target)],
                        cuco::model::Carrier::Mpi, "an MPI message", host_place(), bytes});
  races().host_release(mailbox_of(comm, target));
  bool eager = bytes <= kEagerBytesMax && !synchronous;
  if (eager) message.copy.assign(static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
  if (!eager) message.sender = request;
  std::deque<MpiReceive>& posted = comm.shared->posted[static_cast<size_t>(target)];
  auto found = std::find_if(posted.begin(), posted.end(), [&](const MpiReceive& r) { return matches(r, message); });
  if (found != posted.end()) {
    MpiReceive receive = *found;
    posted.erase(found);
    deliver(receive, message, world_rank(comm, comm.rank), world_rank(comm, target));
  } else {
    comm.shared->unexpected[static_cast<size_t>(target)].push_back(std::move(message));
  }
  if (eager) complete(request, world->now());
}

void post_receive(void* target, size_t bytes_max, int source, int tag, MPI_Comm handle, cuco_mpi_request* request) {
  world->settle_host_work();
  cuco_mpi_comm& comm = mpi_comm(handle);
  check_buffer(current_process(), target, bytes_max, "a message received");
  note_host_buffer(target, bytes_max, AccessKind::Write, "the message received");
  MpiReceive receive = {source, tag, target, bytes_max, request};
  // A sender that waits for its receive learns of the receiver.
  for (int sender = 0; sender < static_cast<int>(comm.shared->members.size()); sender++)
    if (source == MPI_ANY_SOURCE || source == sender) races().host_release(mailbox_of(comm, sender));
  std::deque<MpiMessage>& waiting = comm.shared->unexpected[static_cast<size_t>(comm.rank)];
  auto found = std::find_if(waiting.begin(), waiting.end(), [&](const MpiMessage& m) { return matches(receive, m); });
  if (found == waiting.end()) {
    comm.shared->posted[static_cast<size_t>(comm.rank)].push_back(receive);
    return;
  }
  MpiMessage message = std::move(*found);
  waiting.erase(found);
  deliver(receive, message, world_rank(comm, message.source), world_rank(comm, comm.rank));
}

int wait_for(cuco_mpi_request* request, MPI_Status* status, const std::string& what) {
  if (!request->done) {
    request->waiting = world->current_host;
    world->wait(what);
  } else if (request->at > world->now()) {
    world->pass_time(request->at - world->now());
  }
  races().host_acquire(&current_process());
  if (status) *status = request->status;
  if (request->unpacks_into)
    mpi_unpack(request->unpacks_into, request->packed, request->type, request->status.cuco_bytes);
  std::free(request->packed);
  delete request;
  return MPI_SUCCESS;
}

cuco_mpi_request& request_of(MPI_Request handle) {
  cuco_mpi_request* request = Handles<cuco_mpi_request>::find(handle);
  if (!request) mpi_refuse("a request that is over or was never made");
  return *request;
}

bool is_there(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return true;
  const cuco_mpi_request& request = request_of(handle);
  return request.done && request.at <= world->now();
}

std::string source_text(int source) { return source == MPI_ANY_SOURCE ? "any rank" : cuco::concat("rank ", source); }
std::string tag_text(int tag) { return tag == MPI_ANY_TAG ? "any tag" : cuco::concat("tag ", tag); }

size_t bytes_of(int count, MPI_Datatype type) { return static_cast<size_t>(count) * mpi_size_of(type); }

// Room for a message of a type with gaps.
char* room_for(size_t bytes) { return static_cast<char*>(current_process().heap.allocate(bytes + 64, 64)); }

cuco_mpi_request* begin_send(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
                             bool synchronous = false) {
  auto* request = new cuco_mpi_request;
  request->what = cuco::concat("rank ", target, " to receive a message with tag ", tag);
  request->place = host_place();
  size_t bytes = bytes_of(count, type);
  if (target == MPI_PROC_NULL) {
    request->done = true;
    return request;
  }
  if (mpi_has_gaps(type)) {
    check_buffer(current_process(), data, mpi_span_of(count, type), "a message sent");
    request->packed = room_for(bytes);
    mpi_pack(request->packed, data, type, bytes);
    data = request->packed;
  }
  post_send(data, bytes, target, tag, comm, request, synchronous);
  return request;
}
cuco_mpi_request* begin_receive(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
  auto* request = new cuco_mpi_request;
  request->what = cuco::concat("a message from ", source_text(source), " with ", tag_text(tag));
  request->place = host_place();
  size_t bytes_max = bytes_of(count, type);
  if (source == MPI_PROC_NULL) {
    request->done = true;
    request->status = {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0};
    return request;
  }
  if (mpi_has_gaps(type)) {
    check_buffer(current_process(), data, mpi_span_of(count, type), "a message received");
    request->packed = room_for(bytes_max);
    request->unpacks_into = data;
    request->type = type;
    data = request->packed;
  }
  post_receive(data, bytes_max, source, tag, comm, request);
  return request;
}

const MpiMessage* peek(int source, int tag, MPI_Comm handle) {
  cuco_mpi_comm& comm = mpi_comm(handle);
  MpiReceive wanted = {source, tag, nullptr, 0, nullptr};
  for (const MpiMessage& message : comm.shared->unexpected[static_cast<size_t>(comm.rank)])
    if (matches(wanted, message)) return &message;
  return nullptr;
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  *request = Handles<cuco_mpi_request>::open(begin_send(data, count, type, target, tag, comm));
  return MPI_SUCCESS;
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  *request = Handles<cuco_mpi_request>::open(begin_receive(data, count, type, source, tag, comm));
  return MPI_SUCCESS;
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
  // MPI may buffer the message or wait for its receiver; every other schedule waits.
  if (world->options.seed % 2 == 1) return MPI_Ssend(data, count, type, target, tag, comm);
  cuco_mpi_request* request = begin_send(data, count, type, target, tag, comm);
  return wait_for(request, nullptr, cuco::concat("rank ", target, " to receive a message with tag ", tag));
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
  cuco_mpi_request* request = begin_send(data, count, type, target, tag, comm, true);
  return wait_for(request, nullptr, cuco::concat("rank ", target, " to receive a message with tag ", tag));
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  cuco_mpi_request* request = begin_receive(data, count, type, source, tag, comm);
  return wait_for(request, status, cuco::concat("a message from ", source_text(source), " with ", tag_text(tag)));
}
int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int target, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  cuco_mpi_request* receiving = begin_receive(receive, receive_count, receive_type, source, receive_tag, comm);
  cuco_mpi_request* sending = begin_send(send, send_count, send_type, target, send_tag, comm);
  wait_for(sending, nullptr, cuco::concat("rank ", target, " to receive in MPI_Sendrecv"));
  return wait_for(receiving, status, cuco::concat("a message from rank ", source, " in MPI_Sendrecv"));
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  cuco_mpi_request& waited = request_of(*request);
  Handles<cuco_mpi_request>::close(*request);
  *request = MPI_REQUEST_NULL;
  return wait_for(&waited, status, waited.what + waited.place);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; i++) MPI_Wait(&requests[i], statuses ? &statuses[i] : nullptr);
  return MPI_SUCCESS;
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  world->pass_time(world->costs.host_call);
  *flag = is_there(*request);
  return *flag ? MPI_Wait(request, status) : MPI_SUCCESS;
}
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  world->pass_time(world->costs.host_call);
  *flag = std::all_of(requests, requests + count, is_there);
  return *flag ? MPI_Waitall(count, requests, statuses) : MPI_SUCCESS;
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  for (;;) {
    for (int i = 0; i < count; i++) {
      if (requests[i] == MPI_REQUEST_NULL || !is_there(requests[i])) continue;
      *index = i;
      return MPI_Wait(&requests[i], status);
    }
    world->pass_time(kMicrosecond);
  }
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  world->pass_time(world->costs.host_call);
  const MpiMessage* message = peek(source, tag, comm);
  *flag = message != nullptr;
  if (message && status) *status = {message->source, message->tag, MPI_SUCCESS, message->bytes};
  return MPI_SUCCESS;
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int found = 0;
  while (!found) MPI_Iprobe(source, tag, comm, &found, status);
  return MPI_SUCCESS;
}
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = static_cast<int>(status->cuco_bytes / mpi_size_of(type));
  return MPI_SUCCESS;
}

int MPI_Init(int*, char***) {
  initialised()[&current_process()] = 1;
  world->pass_time(kMicrosecond);
  return MPI_SUCCESS;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  *provided = required;
  return MPI_Init(argc, argv);
}
int MPI_Initialized(int* flag) {
  *flag = initialised()[&current_process()] >= 1;
  return MPI_SUCCESS;
}
int MPI_Finalized(int* flag) {
  *flag = initialised()[&current_process()] == 2;
  return MPI_SUCCESS;
}
int MPI_Finalize() {
  initialised()[&current_process()] = 2;
  return MPI_Barrier(MPI_COMM_WORLD);
}
int MPI_Abort(MPI_Comm, int code) {
  world->add_finding("abort", current_process().rank, cuco::concat("MPI_Abort was called with code ", code));
  world->end_run("fault", code == 0 ? 1 : code);
}
int MPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}
double MPI_Wtime() {
  world->pass_time(25 * kNanosecond);
  return to_us(world->now()) * 1e-6;
}
double MPI_Wtick() { return 1e-9; }
int MPI_Get_processor_name(char* name, int* length) {
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", current_process().node);
  return MPI_SUCCESS;
}
int MPI_Error_string(int code, char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "MPI error %d", code);
  return MPI_SUCCESS;
}
int MPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION, *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
int MPI_Type_size(MPI_Datatype type, int* size) {
  *size = static_cast<int>(mpi_size_of(type));
  return MPI_SUCCESS;
}
int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
int MPI_Type_free(MPI_Datatype* type) {
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
}
