// Communicators, memory and reduction operators.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"
#include "cuco/small_float.h"
#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

namespace {

constexpr size_t kWindowAlignment = 4096;

struct InitPart {
  ncclComm* comm;
  NcclShared::Member member;
  ncclComm_t* out;
};

struct SplitPart {
  int color, key;
  const ncclComm* parent;
  ncclComm_t* out;
};

// Communicators in the making, by the unique id that their ranks share.
std::map<std::string, HostMeetingPtr>& beginnings() {
  static std::map<std::string, HostMeetingPtr> all;
  return all;
}

// Of a communicator over all processes, each with its own GPU, the ranks are known before they come.
std::vector<NcclShared::Member> expected_members(const HostMeeting& meeting) {
  std::vector<NcclShared::Member> members;
  if (!world->options.ranks_are_processes || meeting.expected != world->processes.size()) return members;
  for (size_t i = 0; i < meeting.expected; i++) members.push_back({world->processes[i].get(), world->devices[i].get()});
  return members;
}

void check_beginnings() {
  for (const auto& [id, meeting] : beginnings()) check_setup(*meeting, expected_members(*meeting));
}

std::shared_ptr<NcclShared> make_shared_part() {
  auto shared = std::make_shared<NcclShared>();
  world->when_stuck([shared] { check_pending(*shared); });
  return shared;
}

// Two ranks on one device, which NCCL refuses unless it is told otherwise.
std::string duplicate_in(const HostMeeting& meeting) {
  std::map<const Device*, size_t> ranks;
  for (size_t rank = 0; rank < meeting.parts.size(); rank++) {
    const Device* device = static_cast<InitPart*>(meeting.parts[rank].get())->member.device;
    auto [first, is_new] = ranks.try_emplace(device, rank);
    if (!is_new) return cuco::concat("Duplicate GPU detected: rank ", first->second, " and rank ", rank);
  }
  return "";
}

bool may_share_devices() {
  const char* enabled = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return enabled && std::strcmp(enabled, "1") == 0;
}

void refuse_communicator(HostMeeting& meeting, const std::string& duplicate) {
  meeting.result = ncclInvalidUsage;
  world->add_warning(
      "device_choice", current_process().rank,
      cuco::concat(meeting.name, ": ", duplicate,
                   " use the same device; each rank calls cudaSetDevice, "
                   "with a number of its own on its node, before it; to a program for one GPU a node, --nodes ",
                   meeting.expected, " -n ", meeting.expected, " gives them"));
  for (const std::shared_ptr<void>& each : meeting.parts) {
    ncclComm_t* out = static_cast<InitPart*>(each.get())->out;
    note_closed(*out);
    delete Handles<ncclComm>::close(*out);
    *out = nullptr;
  }
}

void found_communicator(HostMeeting& meeting) {
  if (std::string duplicate = duplicate_in(meeting); !duplicate.empty() && !may_share_devices())
    return refuse_communicator(meeting, duplicate);
  auto shared = make_shared_part();
  for (const std::shared_ptr<void>& part : meeting.parts)
    shared->members.push_back(static_cast<InitPart*>(part.get())->member);
  for (const std::shared_ptr<void>& part : meeting.parts) static_cast<InitPart*>(part.get())->comm->shared = shared;
}

ncclResult_t join_communicator(ncclComm_t* out, int size, const ncclUniqueId& id, int rank, Device& device) {
  if (!out || size < 1 || rank < 0 || rank >= size) return ncclInvalidArgument;
  std::string key(id.internal, sizeof id.internal);
  if (beginnings().empty()) world->when_stuck(check_beginnings);
  HostMeetingPtr& meeting = beginnings()[key];
  if (!meeting || meeting->done) {
    meeting = std::make_shared<HostMeeting>();
    meeting->name = "ncclCommInitRank";
    meeting->expected = static_cast<size_t>(size);
    meeting->parts.resize(meeting->expected);
  }
  if (meeting->expected != static_cast<size_t>(size) || meeting->parts[static_cast<size_t>(rank)])
    return ncclInvalidUsage;
  auto* made = new ncclComm;
  made->rank = rank;
  *out = Handles<ncclComm>::open(made);
  note_open(current_process(), *out, "communicator", "ncclCommDestroy");
  auto part = std::make_shared<InitPart>(InitPart{made, {&current_process(), &device}, out});
  HostMeetingPtr keep = meeting;
  nccl_join(keep, static_cast<size_t>(rank), part, found_communicator);
  return keep->result;
}

void split_communicator(HostMeeting& meeting) {
  std::map<int, std::vector<SplitPart*>> by_color;
  for (const std::shared_ptr<void>& part : meeting.parts) {
    auto* split = static_cast<SplitPart*>(part.get());
    if (split->color != NCCL_SPLIT_NOCOLOR) by_color[split->color].push_back(split);
  }
  for (auto& [color, parts] : by_color) {
    std::stable_sort(parts.begin(), parts.end(), [](SplitPart* a, SplitPart* b) { return a->key < b->key; });
    auto shared = make_shared_part();
    for (SplitPart* part : parts)
      shared->members.push_back(part->parent->shared->members[static_cast<size_t>(part->parent->rank)]);
    for (size_t i = 0; i < parts.size(); i++) {
      auto* made = new ncclComm;
      made->shared = shared;
      made->rank = static_cast<int>(i);
      *parts[i]->out = Handles<ncclComm>::open(made);
      note_open(*shared->members[i].process, *parts[i]->out, "communicator", "ncclCommDestroy");
    }
  }
}

double scalar_value(const void* scalar, ncclDataType_t type) {
  double value = 1;
  float single = 0;
  switch (type) {
    case ncclFloat32:
      std::memcpy(&single, scalar, sizeof single);
      return single;
    case ncclFloat64:
      std::memcpy(&value, scalar, sizeof value);
      return value;
    case ncclInt32:
      return *static_cast<const int32_t*>(scalar);
    case ncclInt64:
      return static_cast<double>(*static_cast<const int64_t*>(scalar));
    case ncclFloat16:
    case ncclBfloat16: {
      uint16_t bits = 0;
      std::memcpy(&bits, scalar, sizeof bits);
      return type == ncclFloat16 ? cuco_float::from_half(bits) : cuco_float::from_bf16(bits);
    }
    case ncclInt8:
      return *static_cast<const int8_t*>(scalar);
    case ncclUint8:
      return *static_cast<const uint8_t*>(scalar);
    case ncclUint32:
      return *static_cast<const uint32_t*>(scalar);
    case ncclUint64:
      return static_cast<double>(*static_cast<const uint64_t*>(scalar));
    default:
      return 1;
  }
}

}  // namespace

ncclComm* cuco::vcluster::comm_of(ncclComm_t handle) {
  ncclComm* comm = Handles<ncclComm>::find(handle);
  return comm && comm->shared ? comm : nullptr;
}

int cuco::vcluster::nccl_version_of(const Process& process) {
  const void* version = dlsym(process.image, "cuco_nccl_version");
  return version ? *static_cast<const int*>(version) : NCCL_VERSION_CODE;
}

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = nccl_version_of(current_process());
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static uint64_t next = 1;
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, &next, sizeof next);
  next++;
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  return join_communicator(comm, size, id, rank, current_device());
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t*) {
  return ncclCommInitRank(comm, size, id, rank);
}
ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int size, int rank, int, ncclUniqueId* ids, ncclConfig_t*) {
  return ncclCommInitRank(comm, size, ids[0], rank);
}
ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  const std::vector<Device*>& seen = current_process().devices;
  if (!comms || count < 1 || static_cast<size_t>(count) > seen.size()) return ncclInvalidArgument;
  for (int i = 0; devices && i < count; i++)
    if (devices[i] < 0 || static_cast<size_t>(devices[i]) >= seen.size()) return ncclInvalidArgument;
  ncclGroupStart();
  for (int i = 0; i < count; i++)
    join_communicator(&comms[i], count, id, i, *seen[static_cast<size_t>(devices ? devices[i] : i)]);
  return ncclGroupEnd();
}
ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t* out, ncclConfig_t*) {
  ncclComm* comm = comm_of(handle);
  if (!comm || !out) return ncclInvalidArgument;
  *out = nullptr;
  nccl_setup(comm, "ncclCommSplit", std::make_shared<SplitPart>(SplitPart{color, key, comm, out}), split_communicator);
  return ncclSuccess;
}
// Those that stay meet under a name that they all can make: what they leave, when, and whom they leave out.
ncclResult_t ncclCommShrink(ncclComm_t handle, int* excluded, int count, ncclComm_t* out, ncclConfig_t*, int) {
  ncclComm* comm = comm_of(handle);
  if (!comm || !out || !excluded || count <= 0 || count >= comm->size()) return ncclInvalidArgument;
  std::set<int> gone(excluded, excluded + count);
  if (gone.contains(comm->rank) || *gone.begin() < 0 || *gone.rbegin() >= comm->size()) return ncclInvalidArgument;
  uint64_t name[4] = {~uint64_t{0}, reinterpret_cast<uintptr_t>(comm->shared.get()), comm->next_setup++, 0};
  for (int rank : gone) name[3] = name[3] * 1000003 + static_cast<uint64_t>(rank) + 1;
  ncclUniqueId id = {};
  std::memcpy(id.internal, name, sizeof name);
  auto before = std::distance(gone.begin(), gone.lower_bound(comm->rank));
  return join_communicator(out, comm->size() - static_cast<int>(gone.size()), id, comm->rank - static_cast<int>(before),
                           comm->device());
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) { return comm_of(comm) ? ncclSuccess : ncclInvalidArgument; }
ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  if (!handle) return ncclSuccess;
  ncclComm* comm = comm_of(handle);
  if (!comm) return ncclInvalidArgument;
  // Work that still uses the communicator holds what it needs of it; the handle itself may go.
  Device& device = comm->device();
  for (const auto& stream : device.streams) wait_on_host(stream->settle());
  note_closed(handle);
  delete Handles<ncclComm>::close(handle);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t handle) {
  note_closed(handle);
  delete Handles<ncclComm>::close(handle);
  return ncclSuccess;
}
ncclResult_t ncclCommRevoke(ncclComm_t, int) { return ncclSuccess; }
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
  const ncclComm* comm = comm_of(handle);
  if (!comm || !count) return ncclInvalidArgument;
  *count = comm->size();
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
  const ncclComm* comm = comm_of(handle);
  if (!comm || !rank) return ncclInvalidArgument;
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int* device) {
  const ncclComm* comm = comm_of(handle);
  if (!comm || !device) return ncclInvalidArgument;
  const std::vector<Device*>& seen = current_process().devices;
  *device = static_cast<int>(std::find(seen.begin(), seen.end(), &comm->device()) - seen.begin());
  return ncclSuccess;
}
ncclResult_t ncclMemAlloc(void** out, size_t bytes) {
  if (!out) return ncclInvalidArgument;
  *out =
      current_device().memory.allocate(std::max<size_t>(bytes, 1), kWindowAlignment, "ncclMemAlloc" + at_call_site());
  return *out ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void* address) {
  check_free(address, "ncclMemFree");
  return free_on_device(address) == cudaSuccess ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclCommRegister(const ncclComm_t, void* buffer, size_t, void** handle) {
  *handle = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(const ncclComm_t, void*) { return ncclSuccess; }

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type, ncclScalarResidence_t,
                                      ncclComm_t handle) {
  ncclComm* comm = comm_of(handle);
  if (!comm || !op || !scalar) return ncclInvalidArgument;
  *op = static_cast<ncclRedOp_t>(comm->next_op++);
  comm->shared->scale_of_op[*op] = scalar_value(scalar, type);
  return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t, ncclComm_t) { return ncclSuccess; }

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(ncclComm_t) { return ""; }
}
