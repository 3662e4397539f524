// A barrier over the network, by signals.
#pragma once

#include "nccl_device/gin.h"
#include "nccl_device/lsa_barrier.h"

NCCL_EXTERN_C __host__ ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t comm, ncclTeam_t team, int nBarriers,
                                                                    ncclGinBarrierHandle_t* outHandle,
                                                                    ncclDevResourceRequirements_t* outReq);

#ifdef CUCO_CUDA_SOURCE
// The bits are what the barrier covers: 1 the earlier puts of its context, 2 the caller's own gets. In 2.28 its signals
// cover the puts; since 2.30 it only meets unless it is asked for more.
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
enum class ncclGinFenceLevel : uint32_t { None = 0, Put = 1, Get = 2, Relaxed = None };
__host__ __device__ constexpr ncclGinFenceLevel operator|(ncclGinFenceLevel a, ncclGinFenceLevel b) {
  return static_cast<ncclGinFenceLevel>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
#define CUCO_DEFAULT_FENCE = ncclGinFenceLevel::Put | ncclGinFenceLevel::Get
#else
enum class ncclGinFenceLevel : uint32_t { Relaxed = 1, None = Relaxed };
#define CUCO_DEFAULT_FENCE
#endif

template <class Coop>
struct ncclGinBarrierSession {
  NCCL_DEVICE_INLINE ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeam team, ncclGinBarrierHandle handle,
                                           uint32_t index)
      : coop(coop), net(net), team(team), handle(handle), index(index) {}
  NCCL_DEVICE_INLINE ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeamTagRail, uint32_t index)
      : ncclGinBarrierSession(coop, net, ncclTeamRail(net.comm), net.comm.railGinBarrier, index) {}
  NCCL_DEVICE_INLINE ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeamTagWorld, uint32_t index)
      : ncclGinBarrierSession(coop, net, ncclTeamWorld(net.comm), net.comm.worldGinBarrier, index) {}
  NCCL_DEVICE_INLINE ~ncclGinBarrierSession() {
    cuco_meet_at(nullptr);
    coop.sync();
  }
  ncclGinBarrierSession(ncclGinBarrierSession const&) = delete;

  NCCL_DEVICE_INLINE void sync(Coop, cuda::memory_order order, ncclGinFenceLevel fence CUCO_DEFAULT_FENCE) {
    bool covers_puts = static_cast<uint32_t>(fence) & 1, covers_gets = static_cast<uint32_t>(fence) & 2;
    if (covers_gets) net.flush(coop);
    coop.sync();
    if (nccl::utility::releaseOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
    if (coop.thread_rank() == 0) {
      cuco_team_barrier_arrive(&net.comm, net.contextId, team, handle.bufHandle, handle.nBarriers, index,
                               covers_puts);
      cuco_team_barrier_wait(&net.comm, net.contextId, team, handle.bufHandle, handle.nBarriers, index);
    }
    coop.sync();
    if (nccl::utility::acquireOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
  }

  Coop coop;
  ncclGin net;
  ncclTeam team;
  ncclGinBarrierHandle handle;
  uint32_t index;
};
#endif
