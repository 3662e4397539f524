// Windows and device communicators: their creation on the host.
#include <algorithm>
#include <cstring>
#include <map>

#include "base/text.h"
#include "vcluster/runtime/api/nccl/device_comm.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/engine/handles.h"

namespace cuco::vcluster {

namespace {

constexpr unsigned kMulticastShift = 32;  // 4 GiB of multicast addresses a window.

std::vector<std::shared_ptr<WindowGroup>>& window_groups() {
  static std::vector<std::shared_ptr<WindowGroup>> all;
  return all;
}

// By the address of the copy that programs hold.
std::map<const void*, Window>& windows() {
  static std::map<const void*, Window> all;
  return all;
}

// Memory of the process that its kernels may touch.
template <typename T>
T* take_for_kernels(Process& process, size_t count) {
  void* memory = process.heap.allocate(count * sizeof(T));
  std::memset(memory, 0, count * sizeof(T));
  pin_host_memory(memory, count * sizeof(T));
  return static_cast<T*>(memory);
}

}  // namespace

std::shared_ptr<WindowGroup> make_window_group(const NcclShared& shared, std::vector<char*> bases,
                                               std::vector<size_t> bytes) {
  auto group = std::make_shared<WindowGroup>();
  group->comm = &shared;
  group->is_gone_on_rank.resize(bases.size());
  group->base_of_rank = std::move(bases);
  group->bytes_of_rank = std::move(bytes);
  group->multicast_base = reinterpret_cast<char*>(kMulticastBase + (window_groups().size() << kMulticastShift));
  for (int rank = 0; rank < shared.lsa_size(); rank++) group->lsa_ranks.push_back(rank);
  window_groups().push_back(group);
  return group;
}

Window* window_of(ncclWindow_t handle) {
  auto found = windows().find(handle);
  return found == windows().end() ? nullptr : &found->second;
}

bool is_window(const void* address) { return windows().contains(address); }

bool lies_in_window(const void* address) {
  auto holds = [&](const auto& known) {
    const Window& window = known.second;
    auto offset = static_cast<const char*>(address) - window.base(window.rank);
    return window.is_registered && offset >= 0 && static_cast<size_t>(offset) < window.bytes_of_all;
  };
  return std::any_of(windows().begin(), windows().end(), holds);
}

ncclWindow_t make_window(const ncclComm& comm, const std::shared_ptr<WindowGroup>& group) {
  int lsa_size = comm.shared->lsa_size();
  Window known;
  known.group = group;
  known.rank = comm.rank;
  known.lsa_first = comm.rank - comm.rank % lsa_size;
  known.lsa_count = lsa_size;
  known.bytes_of_all = *std::min_element(group->bytes_of_rank.begin(), group->bytes_of_rank.end());
  char** bases = take_for_kernels<char*>(comm.process(), group->base_of_rank.size());
  std::copy(group->base_of_rank.begin(), group->base_of_rank.end(), bases);
  auto* window = take_for_kernels<ncclWindow_vidmem>(comm.process(), 1);
  window->baseOfRank = bases;
  window->multicastBase = group->multicast_base;
  window->worldRank = known.rank;
  window->lsaFirst = known.lsa_first;
  window->lsaCount = known.lsa_count;
  window->bytesOfAll = known.bytes_of_all;
  windows().emplace(window, std::move(known));
  return window;
}

const WindowGroup* window_at_multicast(uintptr_t address) {
  if (address < kMulticastBase) return nullptr;
  uintptr_t index = (address - kMulticastBase) >> kMulticastShift;
  return index < window_groups().size() ? window_groups()[index].get() : nullptr;
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

namespace {

struct WindowPart {
  ncclComm* comm;
  char* base;
  size_t bytes;
  ncclWindow_t* out;
  int flags;
};

void register_windows(HostMeeting& meeting) {
  std::vector<char*> bases;
  std::vector<size_t> bytes;
  for (const std::shared_ptr<void>& part : meeting.parts) {
    bases.push_back(static_cast<WindowPart*>(part.get())->base);
    bytes.push_back(static_cast<WindowPart*>(part.get())->bytes);
  }
  auto& first = *static_cast<WindowPart*>(meeting.parts.front().get());
  auto group = make_window_group(*first.comm->shared, bases, bytes);
  group->has_strict_ordering = (first.flags & NCCL_WIN_STRICT_ORDERING) != 0;
  for (const std::shared_ptr<void>& part : meeting.parts) {
    auto* window = static_cast<WindowPart*>(part.get());
    if (window->bytes != first.bytes)
      world->add_finding("window_asymmetric", window->comm->rank,
                         cuco::concat("rank ", window->comm->rank, " registers a window of ", window->bytes,
                                      " bytes where rank 0 registers ", first.bytes));
    *window->out = make_window(*window->comm, group);
    note_open(window->comm->process(), *window->out, "window", "ncclCommWindowDeregister");
  }
}

// Since 2.30, signals and the like come only with a connection that was asked for.
bool lacks_gin_connection(const ncclDevCommRequirements_t& wanted) {
  if (wanted.ginForceEnable || wanted.ginConnectionType != NCCL_GIN_CONNECTION_NONE) return false;
  return wanted.ginSignalCount > 0 || wanted.ginCounterCount > 0 || wanted.railGinBarrierCount > 0 ||
         wanted.worldGinBarrierCount > 0;
}

bool knows_weak_signals(const Process& process) { return nccl_version_of(process) >= NCCL_VERSION(2, 30, 5); }

struct DevCommPart {
  ncclComm* comm;
  ncclDevCommRequirements_t requirements;
  ncclDevComm_t* out;
};

// Hands out the resource window's bytes and the signal and counter numbers that requirements ask for.
struct Layout {
  size_t bytes = 0;
  int signals = 0, counters = 0;

  uint32_t take_bytes(size_t wanted, size_t alignment) {
    alignment = std::max<size_t>(alignment, 128);
    bytes = (bytes + alignment - 1) / alignment * alignment;
    uint32_t handle = static_cast<uint32_t>(bytes / 128);
    bytes += wanted;
    return handle;
  }
};

size_t ll_a2a_bytes(int blocks, int slots) {
  return static_cast<size_t>(blocks) * (1 + 2 * static_cast<size_t>(slots)) * 16;
}

void place_requirements(Layout& layout, ncclDevResourceRequirements_t* list) {
  for (; list; list = list->next) {
    uint32_t handle = layout.take_bytes(list->bufferSize, list->bufferAlign);
    if (list->outBufferHandle) *list->outBufferHandle = handle;
    if (list->outGinSignalStart) *list->outGinSignalStart = static_cast<uint32_t>(layout.signals);
    if (list->outGinCounterStart) *list->outGinCounterStart = static_cast<uint32_t>(layout.counters);
    layout.signals += list->ginSignalCount;
    layout.counters += list->ginCounterCount;
  }
}

Layout lay_out(DevCommPart& part) {
  const ncclDevCommRequirements_t& wanted = part.requirements;
  ncclDevComm_t& out = *part.out;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  Layout layout;
  layout.signals = wanted.ginSignalCount;
  layout.counters = wanted.ginCounterCount;
  out.lsaBarrier = {layout.take_bytes(128, 128), std::max(wanted.lsaBarrierCount, wanted.barrierCount)};
  out.railGinBarrier = {0, layout.take_bytes(128, 128), std::max(wanted.railGinBarrierCount, wanted.barrierCount)};
  out.worldGinBarrier = {0, layout.take_bytes(128, 128), wanted.worldGinBarrierCount};
  out.lsaLLA2A = {layout.take_bytes(ll_a2a_bytes(wanted.lsaLLA2ABlockCount, wanted.lsaLLA2ASlotCount), 128),
                  static_cast<uint32_t>(wanted.lsaLLA2ASlotCount)};
  place_requirements(layout, wanted.resourceRequirementsList);
  return layout;
}

std::shared_ptr<DevCommRank> make_rank(const DevCommPart& part, const Layout& layout, int contexts) {
  auto rank = std::make_shared<DevCommRank>();
  rank->rank = part.comm->rank;
  rank->device = &part.comm->device();
  rank->has_strong_signals = !knows_weak_signals(part.comm->process()) || part.requirements.ginStrongSignalsRequired;
  rank->contexts.resize(static_cast<size_t>(contexts));
  for (GinContext& context : rank->contexts) {
    context.signals.resize(static_cast<size_t>(layout.signals));
    context.counters.resize(static_cast<size_t>(layout.counters));
    context.last_arrival.resize(static_cast<size_t>(part.comm->size()));
  }
  return rank;
}

void check_signals(const DevCommRank& rank) {
  for (const GinContext& context : rank.contexts)
    for (size_t i = 0; i < context.signals.size(); i++)
      context.signals[i].ledger.check_end(context.signals[i].value, rank.rank, static_cast<uint32_t>(i));
}

void fill_dev_comm(const DevCommPart& part, DevCommRank& rank, const Layout& layout,
                   const std::shared_ptr<WindowGroup>& resources) {
  size_t shadow_count = rank.contexts.size() * static_cast<size_t>(layout.signals);
  ncclDevComm_t& out = *part.out;
  int lsa_size = part.comm->shared->lsa_size();
  out.rank = part.comm->rank, out.nRanks = part.comm->size();
  out.lsaSize = lsa_size, out.lsaRank = part.comm->rank % lsa_size;
  out.resourceWindow = make_window(*part.comm, resources);
  out.lsaMultimem.mcBasePtr = resources->multicast_base;
  out.ginContextCount = static_cast<uint8_t>(rank.contexts.size());
  out.ginSignalCount = layout.signals, out.ginCounterCount = layout.counters;
  out.ginSignalShadows = take_for_kernels<uint64_t>(part.comm->process(), shadow_count);
  out.owner = Handles<DevCommRank>::open(&rank);
}

void create_dev_comms(HostMeeting& meeting) {
  auto shared = std::make_shared<DevCommShared>();
  std::vector<Layout> layouts;
  std::vector<char*> bases;
  std::vector<size_t> bytes;
  for (const std::shared_ptr<void>& each : meeting.parts) {
    auto& part = *static_cast<DevCommPart*>(each.get());
    shared->comm = part.comm->shared;
    layouts.push_back(lay_out(part));
    size_t wanted = std::max<size_t>(layouts.back().bytes, 4096);
    void* memory = part.comm->device().memory.allocate(wanted, 4096, "ncclDevCommCreate");
    std::memset(memory, 0, wanted);
    note_write(memory, wanted, "ncclDevCommCreate");
    bases.push_back(static_cast<char*>(memory));
    bytes.push_back(wanted);
  }
  world->at_end([shared] { check_barriers(*shared, false); });
  world->when_stuck([shared] { check_barriers(*shared, true); });
  auto resources = make_window_group(*shared->comm, bases, bytes);
  for (size_t i = 0; i < meeting.parts.size(); i++) {
    auto& part = *static_cast<DevCommPart*>(meeting.parts[i].get());
    int contexts = std::clamp(part.requirements.ginContextCount, 1, NCCL_GIN_MAX_CONTEXTS);
    auto rank = make_rank(part, layouts[i], contexts);
    rank->shared = shared;
    shared->ranks.push_back(rank);
    world->at_end([rank] { check_signals(*rank); });
    fill_dev_comm(part, *rank, layouts[i], resources);
    note_open(part.comm->process(), part.out->owner, "device communicator", "ncclDevCommDestroy");
  }
}

}  // namespace

extern "C" {

ncclResult_t ncclCommQueryProperties(ncclComm_t handle, ncclCommProperties_t* out) {
  const ncclComm* comm = comm_of(handle);
  if (!comm || !out) return ncclInvalidArgument;
  *out = {};
  out->rank = comm->rank, out->nRanks = comm->size();
  ncclCommCuDevice(handle, &out->cudaDev);
  out->nvmlDev = out->cudaDev;
  out->deviceApiSupport = true;
  out->multimemSupport = world->options.profile.topology.multimem;
  out->ginType = out->railedGinType = NCCL_GIN_TYPE_GDAKI;
  out->nLsaTeams = comm->size() / comm->shared->lsa_size();
  return ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t handle, void* buffer, size_t bytes, ncclWindow_t* out, int flags) {
  ncclComm* comm = comm_of(handle);
  if (!comm || !out) return ncclInvalidArgument;
  check_window_memory(buffer, comm->rank);
  auto part = std::make_shared<WindowPart>(WindowPart{comm, static_cast<char*>(buffer), bytes, out, flags});
  nccl_setup(comm, "ncclCommWindowRegister", part, register_windows);
  return ncclSuccess;
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t named, ncclWindow_t handle) {
  const ncclComm* comm = comm_of(named);
  Window* window = window_of(handle);
  if (!comm || !window || !window->has_rank(comm->rank)) return ncclInvalidArgument;
  note_closed(handle);
  window->is_registered = false;
  forget_reachable_memory();
  window->group->is_gone_on_rank[static_cast<size_t>(comm->rank)] = true;
  handle->bytesOfAll = 0;
  return ncclSuccess;
}

ncclResult_t ncclWinGetUserPtr(ncclComm_t handle, ncclWindow_t window, void** out) {
  const ncclComm* comm = comm_of(handle);
  const Window* known = window_of(window);
  if (!comm || !known || !out || !known->has_rank(comm->rank)) return ncclInvalidArgument;
  *out = known->base(comm->rank);
  return ncclSuccess;
}
ncclResult_t ncclGetLsaDevicePointer(ncclWindow_t handle, size_t offset, int rank, void** out) {
  const Window* window = window_of(handle);
  return window ? ncclGetPeerDevicePointer(handle, offset, window->lsa_first + rank, out) : ncclInvalidArgument;
}
// Null for a rank whose memory loads and stores cannot reach.
ncclResult_t ncclGetPeerDevicePointer(ncclWindow_t handle, size_t offset, int peer, void** out) {
  const Window* window = window_of(handle);
  if (!window || !out || !window->has_rank(peer)) return ncclInvalidArgument;
  *out = window->reaches(peer) ? window->base(peer) + offset : nullptr;
  return ncclSuccess;
}

ncclResult_t ncclDevCommCreate(ncclComm_t handle, ncclDevCommRequirements_t const* requirements, ncclDevComm_t* out) {
  ncclComm* comm = comm_of(handle);
  if (!comm || !requirements || !out) return ncclInvalidArgument;
  if (nccl_version_of(current_process()) >= NCCL_VERSION(2, 30, 0) && lacks_gin_connection(*requirements))
    return ncclInvalidArgument;
  auto part = std::make_shared<DevCommPart>(DevCommPart{comm, *requirements, out});
  nccl_setup(comm, "ncclDevCommCreate", part, create_dev_comms);
  return ncclSuccess;
}
ncclResult_t ncclDevCommDestroy(ncclComm_t comm, ncclDevComm_t const* dev_comm) {
  DevCommRank* rank = dev_comm ? Handles<DevCommRank>::find(dev_comm->owner) : nullptr;
  if (!comm_of(comm) || !rank) return ncclInvalidArgument;
  note_closed(dev_comm->owner);
  rank->is_destroyed = true;
  return ncclSuccess;
}

ncclTeam_t ncclTeamWorld(ncclComm_t handle) {
  const ncclComm* comm = comm_of(handle);
  return comm ? ncclTeam_t{comm->size(), comm->rank, 1} : ncclTeam_t{};
}
ncclTeam_t ncclTeamLsa(ncclComm_t handle) {
  const ncclComm* comm = comm_of(handle);
  if (!comm) return {};
  int size = comm->shared->lsa_size();
  return {size, comm->rank % size, 1};
}
ncclTeam_t ncclTeamRail(ncclComm_t handle) {
  const ncclComm* comm = comm_of(handle);
  if (!comm) return {};
  int size = comm->shared->lsa_size();
  return {comm->size() / size, comm->rank / size, size};
}
int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank) {
  return ncclTeamWorld(comm).rank + (rank - team.rank) * team.stride;
}
int ncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank) {
  return ncclTeamLsa(comm).rank + (rank - team.rank) * team.stride;
}

ncclResult_t ncclLsaBarrierCreateRequirement(ncclTeam_t, int count, ncclLsaBarrierHandle_t* handle,
                                             ncclDevResourceRequirements_t* requirement) {
  *requirement = {};
  requirement->bufferSize = 128, requirement->bufferAlign = 128;
  requirement->outBufferHandle = &handle->bufHandle;
  handle->nBarriers = count;
  return ncclSuccess;
}
ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t, ncclTeam_t, int count, ncclGinBarrierHandle_t* handle,
                                             ncclDevResourceRequirements_t* requirement) {
  *requirement = {};
  requirement->bufferSize = 128, requirement->bufferAlign = 128;
  requirement->outBufferHandle = &handle->bufHandle;
  handle->nBarriers = count;
  return ncclSuccess;
}
int ncclLLA2ACalcSlots(int elements_max, int element_bytes_max) { return elements_max * ((element_bytes_max + 7) / 8); }
ncclResult_t ncclLLA2ACreateRequirement(int blocks, int slots, ncclLLA2AHandle_t* handle,
                                        ncclDevResourceRequirements_t* requirement) {
  *requirement = {};
  requirement->bufferSize = ll_a2a_bytes(blocks, slots), requirement->bufferAlign = 128;
  requirement->outBufferHandle = &handle->bufHandle;
  handle->nSlots = static_cast<uint32_t>(slots);
  return ncclSuccess;
}
}
