// Groups: calls between ncclGroupStart and ncclGroupEnd take effect together at the end.
#include "vcluster/runtime/api/nccl/groups.h"

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/ownership.h"

namespace cuco::vcluster {

namespace {

struct Group {
  int depth = 0;
  std::vector<std::pair<Stream*, std::vector<CollectiveCall>>> calls;  // In order of first use.
  std::vector<HostMeetingPtr> setups;
};

Group& group_of_thread() {
  static std::map<const HostThread*, Group> groups;
  return groups[world->current_host];
}

void wait_for(const HostMeetingPtr& meeting) {
  if (!meeting->done) {
    meeting->waiting.push_back(world->current_host);
    world->wait(concat("all ", meeting->expected, " ranks in ", meeting->name));
  }
  races().host_acquire(meeting.get());
}

void add_call(Group& group, Stream* stream, CollectiveCall call) {
  auto found =
      std::find_if(group.calls.begin(), group.calls.end(), [&](const auto& entry) { return entry.first == stream; });
  if (found == group.calls.end()) found = group.calls.insert(group.calls.end(), {stream, {}});
  found->second.push_back(std::move(call));
}

}  // namespace

void nccl_join(const HostMeetingPtr& meeting, size_t rank, std::shared_ptr<void> part,
               const std::function<void(HostMeeting&)>& act) {
  if (meeting->arrived == 0) meeting->place = host_place();
  meeting->parts[rank] = std::move(part);
  races().host_release(meeting.get());
  if (++meeting->arrived == meeting->expected) {
    world->note_progress();
    act(*meeting);
    meeting->done = true;
    for (HostThread* host : meeting->waiting) world->wake(*host, world->now() + 10 * kMicrosecond);
    meeting->waiting.clear();
  }
  Group& group = group_of_thread();
  if (group.depth > 0)
    group.setups.push_back(meeting);
  else
    wait_for(meeting);
}

// What it names must be the process's own; how far it goes, and what was never allocated, shows when it runs.
static bool may_communicate(const void* buffer, const Process& process) {
  if (!buffer || is_host_memory_of(process, buffer, 1) || reaches(process, buffer)) return true;
  return device_of(reinterpret_cast<uintptr_t>(buffer)) >= 0 && !allocation_at(buffer);
}

void nccl_setup(ncclComm* comm, const char* name, std::shared_ptr<void> part,
                const std::function<void(HostMeeting&)>& act) {
  uint64_t sequence = comm->next_setup++;
  HostMeetingPtr& meeting = comm->shared->setups[sequence];
  if (!meeting) {
    meeting = std::make_shared<HostMeeting>();
    meeting->name = name;
    meeting->expected = comm->shared->members.size();
    meeting->parts.resize(meeting->expected);
  }
  if (meeting->name != name) {
    world->add_finding("collective_mismatch", current_process().rank,
                       concat(name, host_place(), " meets ", meeting->name, meeting->place, " of another rank"));
    world->end_run("fault", 1);
  }
  HostMeetingPtr keep = meeting;
  nccl_join(keep, static_cast<size_t>(comm->rank), std::move(part), act);
}

ncclResult_t nccl_enqueue(CollectiveCall call, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!call.comm || !stream) return ncclInvalidArgument;
  if (call.root >= call.comm->size()) return ncclInvalidArgument;
  for (const void* buffer : {call.send, static_cast<const void*>(call.receive)})
    if (!may_communicate(buffer, call.comm->process())) return ncclInvalidArgument;
  // The communicator's own device decides: a null stream means its default stream.
  if (handle == nullptr) stream = &call.comm->device().default_stream();
  if (stream->device().sticky_error() != 0) return ncclUnhandledCudaError;
  if (call.peer < 0 && !stream->capture) call.sequence = call.comm->next_collective++;
  Group& group = group_of_thread();
  if (group.depth > 0) {
    add_call(group, stream, std::move(call));
    return ncclSuccess;
  }
  world->pass_time(world->costs.collective_call);
  submit_calls(*stream, {std::move(call)});
  return ncclSuccess;
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

ncclResult_t ncclGroupStart() {
  group_of_thread().depth++;
  current_process().open_groups++;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  Group& group = group_of_thread();
  if (group.depth == 0) {
    world->add_finding("collective_mismatch", current_process().rank, "ncclGroupEnd is called without ncclGroupStart");
    return ncclInvalidUsage;
  }
  current_process().open_groups--;
  if (--group.depth > 0) return ncclSuccess;
  world->pass_time(group.calls.empty() ? world->costs.host_call : world->costs.collective_call);
  Group ending;
  std::swap(ending, group);
  for (auto& [stream, calls] : ending.calls) submit_calls(*stream, std::move(calls));
  ncclResult_t result = ncclSuccess;
  for (const HostMeetingPtr& meeting : ending.setups) {
    wait_for(meeting);
    if (result == ncclSuccess) result = meeting->result;
  }
  return result;
}
}
