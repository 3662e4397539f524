// A barrier over the ranks of a team that share memory. One index per block: block i of each rank meets block i.
#pragma once

#include "nccl_device/core.h"

NCCL_EXTERN_C __host__ ncclResult_t ncclLsaBarrierCreateRequirement(ncclTeam_t team, int nBarriers,
                                                                    ncclLsaBarrierHandle_t* outHandle,
                                                                    ncclDevResourceRequirements_t* outReq);

constexpr int kCucoNoContext = -1;  // Of a barrier that does not go over the network.

#ifdef CUCO_CUDA_SOURCE
// The two halves of a team barrier over the network, by signals of that context, or of an LSA barrier.
// `identity` tells barriers of different handles apart. The arrival may cover the earlier puts of its context.
extern "C" __device__ void cuco_team_barrier_arrive(const ncclDevComm* comm, int context, ncclTeam team,
                                                    uint32_t identity, int barrier_count, uint32_t index,
                                                    int covers_puts);
extern "C" __device__ void cuco_team_barrier_wait(const ncclDevComm* comm, int context, ncclTeam team,
                                                  uint32_t identity, int barrier_count, uint32_t index);

template <class Coop>
struct ncclLsaBarrierSession {
  NCCL_DEVICE_INLINE ncclLsaBarrierSession(Coop coop, ncclDevComm const& comm, ncclTeam team,
                                           ncclLsaBarrierHandle handle, uint32_t index, bool multimem = false,
                                           ncclMultimemHandle mmHandle = {})
      : coop(coop), comm(comm), team(team), handle(handle), index(index) {}
  NCCL_DEVICE_INLINE ncclLsaBarrierSession(Coop coop, ncclDevComm const& comm, ncclTeamTagLsa, uint32_t index,
                                           bool multimem = false)
      : ncclLsaBarrierSession(coop, comm, ncclTeamLsa(comm), comm.lsaBarrier, index, multimem) {}
  NCCL_DEVICE_INLINE ~ncclLsaBarrierSession() {
    cuco_meet_at(nullptr);
    coop.sync();
  }
  ncclLsaBarrierSession(ncclLsaBarrierSession const&) = delete;

  NCCL_DEVICE_INLINE void arrive(Coop, cuda::memory_order order) {
    coop.sync();
    if (nccl::utility::releaseOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
    if (coop.thread_rank() == 0)
      cuco_team_barrier_arrive(&comm, kCucoNoContext, team, handle.bufHandle, handle.nBarriers, index, false);
  }
  NCCL_DEVICE_INLINE void wait(Coop, cuda::memory_order order) {
    if (coop.thread_rank() == 0)
      cuco_team_barrier_wait(&comm, kCucoNoContext, team, handle.bufHandle, handle.nBarriers, index);
    coop.sync();
    if (nccl::utility::acquireOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
  }
  NCCL_DEVICE_INLINE void sync(Coop coop, cuda::memory_order order) {
    arrive(coop, order);
    wait(coop, order);
  }

  Coop coop;
  ncclDevComm const& comm;
  ncclTeam team;
  ncclLsaBarrierHandle handle;
  uint32_t index;
};
#endif
