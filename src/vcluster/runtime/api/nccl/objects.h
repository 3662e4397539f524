// The objects behind NCCL's host handles.
#pragma once

#include <nccl.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/api/cuda/objects.h"

namespace cuco::vcluster {

// A collective step of set-up on the host: all ranks of a communicator come, the last one acts, all go on.
struct HostMeeting {
  std::string name;
  std::string place;  // " at file:line" of the first call, or empty.
  size_t expected = 0;
  size_t arrived = 0;
  std::vector<std::shared_ptr<void>> parts;  // By rank; what `act` reads and writes.
  std::vector<HostThread*> waiting;
  bool done = false;
  ncclResult_t result = ncclSuccess;  // Of everybody's call, once it is done.
};
using HostMeetingPtr = std::shared_ptr<HostMeeting>;

// One call of a collective, a send or a receive on one rank.
struct CollectiveCall {
  static constexpr uint64_t kUnnumbered = ~uint64_t{0};

  model::Collective collective{};
  const void* send = nullptr;
  void* receive = nullptr;
  size_t count = 0;
  ncclDataType_t type = ncclInt8;
  int op = -1;
  int root = -1;
  int peer = -1;
  ncclComm* comm = nullptr;
  uint64_t sequence = kUnnumbered;  // Of the collectives on the communicator; those of a graph get it at launch.
  std::string place;                // " at file:line", or empty.
  uint32_t race_id = 0;             // Of the operation it is part of.
  std::function<void()> on_done;
};

struct CollectiveMeeting {
  std::vector<CollectiveCall> calls;  // By rank.
  size_t arrived = 0;
};

struct NcclShared {
  struct Member {
    Process* process = nullptr;
    Device* device = nullptr;
  };
  std::vector<Member> members;
  std::map<uint64_t, HostMeetingPtr> setups;
  std::map<uint64_t, CollectiveMeeting> collectives;
  std::map<std::pair<int, int>, std::deque<CollectiveCall>> sends, receives;  // By (source, target).
  std::map<int, double> scale_of_op;                                          // Of pre-multiplied sums.

  bool spans_nodes() const;
  // Ranks on the node of `rank`, as NCCL's LSA team: consecutive in the communicator.
  int lsa_size() const;
};

}  // namespace cuco::vcluster

struct ncclComm {
  std::shared_ptr<cuco::vcluster::NcclShared> shared;
  int rank = 0;
  uint64_t next_setup = 0;
  uint64_t next_collective = 0;
  int next_op = ncclNumOps;

  cuco::vcluster::Device& device() const { return *shared->members[static_cast<size_t>(rank)].device; }
  cuco::vcluster::Process& process() const { return *shared->members[static_cast<size_t>(rank)].process; }
  int size() const { return static_cast<int>(shared->members.size()); }
};

namespace cuco::vcluster {

// The communicator a handle names. Null when it was destroyed or never made, or its ranks have not met yet.
ncclComm* comm_of(ncclComm_t handle);

// For which version of NCCL the process's image was built, as NCCL_VERSION_CODE.
int nccl_version_of(const Process& process);
size_t nccl_size_of(ncclDataType_t type);
// "ncclFloat32", "ncclSum": as nccl.h spells them.
std::string nccl_name_of(ncclDataType_t type);
std::string nccl_name_of_op(int op);
// into[i] = into[i] (op) from[i]. Sixteen- and eight-bit floats compute in float and round each step.
void nccl_reduce(void* into, const void* from, size_t count, ncclDataType_t type, int op);
void nccl_scale(void* values, size_t count, ncclDataType_t type, double factor);

// Joins the communicator's next set-up step; `act` gets the parts in rank order. In a group the call returns at once
// and ncclGroupEnd waits.
void nccl_setup(ncclComm* comm, const char* name, std::shared_ptr<void> part,
                const std::function<void(HostMeeting&)>& act);
void nccl_join(const HostMeetingPtr& meeting, size_t rank, std::shared_ptr<void> part,
               const std::function<void(HostMeeting&)>& act);

// Findings about calls that some rank never joins, when the run cannot go on.
void check_pending(const NcclShared& shared);
// The same of a step of set-up. `members`: who its ranks are, by their number; empty when that is not known yet.
void check_setup(const HostMeeting& meeting, const std::vector<NcclShared::Member>& members);

// Queues the call on the stream, or in the open group.
ncclResult_t nccl_enqueue(CollectiveCall call, cudaStream_t stream);

}  // namespace cuco::vcluster
