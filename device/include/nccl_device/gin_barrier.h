// A barrier over the network, by signals.
#pragma once

#include "nccl_device/gin.h"
#include "nccl_device/lsa_barrier.h"

NCCL_EXTERN_C __host__ ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t comm, ncclTeam_t team, int nBarriers,
                                                                    ncclGinBarrierHandle_t* outHandle,
                                                                    ncclDevResourceRequirements_t* outReq);

#ifdef CUCO_CUDA_SOURCE
// Relaxed is the name in 2.28, None the one since 2.30.
enum class ncclGinFenceLevel { Relaxed, None = Relaxed };

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

  NCCL_DEVICE_INLINE void sync(Coop, cuda::memory_order order, ncclGinFenceLevel) {
    coop.sync();
    if (nccl::utility::releaseOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
    if (coop.thread_rank() == 0) {
      cuco_team_barrier_arrive(&net.comm, 1, team, handle.bufHandle, handle.nBarriers, index);
      cuco_team_barrier_wait(&net.comm, 1, team, handle.bufHandle, handle.nBarriers, index);
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
