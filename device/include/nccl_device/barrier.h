// A barrier over all ranks: LSA inside the node, then GIN between nodes along the rail.
#pragma once

#include "nccl_device/gin_barrier.h"
#include "nccl_device/lsa_barrier.h"

#ifdef CUCO_CUDA_SOURCE
template <class Coop>
struct ncclBarrierSession {
  NCCL_DEVICE_INLINE ncclBarrierSession(Coop coop, ncclTeam innerTeam, ncclTeam outerTeam, ncclGin gin,
                                        ncclLsaBarrierHandle innerBarHandle, ncclGinBarrierHandle outerBarHandle,
                                        uint32_t index, bool multimem = false, ncclMultimemHandle innerMmHandle = {})
      : coop(coop),
        inner(coop, gin.comm, innerTeam, innerBarHandle, index, multimem, innerMmHandle),
        outer(coop, gin, outerTeam, outerBarHandle, index),
        hasInner(true),
        hasOuter(true) {}
  NCCL_DEVICE_INLINE ncclBarrierSession(Coop coop, ncclTeamTagWorld, ncclGin gin, uint32_t index,
                                        bool multimem = false)
      : ncclBarrierSession(coop, ncclTeamLsa(gin.comm), ncclTeamRail(gin.comm), gin, gin.comm.lsaBarrier,
                           gin.comm.railGinBarrier, index, multimem, gin.comm.lsaMultimem) {}
  NCCL_DEVICE_INLINE ncclBarrierSession(Coop coop, ncclTeamTagLsa, ncclDevComm const& comm, uint32_t index,
                                        bool multimem = false)
      : coop(coop),
        inner(coop, comm, ncclTeamTagLsa(), index, multimem),
        outer(coop, ncclGin(comm, 0), ncclTeamTagRail(), index),
        hasInner(true),
        hasOuter(false) {}
  NCCL_DEVICE_INLINE ncclBarrierSession(Coop coop, ncclTeamTagRail, ncclGin gin, uint32_t index)
      : coop(coop),
        inner(coop, gin.comm, ncclTeamTagLsa(), index),
        outer(coop, gin, ncclTeamTagRail(), index),
        hasInner(false),
        hasOuter(true) {}
  ncclBarrierSession(ncclBarrierSession const&) = delete;

  NCCL_DEVICE_INLINE ncclLsaBarrierSession<Coop>& lsaBarrier() { return inner; }
  NCCL_DEVICE_INLINE ncclGinBarrierSession<Coop>& ginBarrier() { return outer; }
  NCCL_DEVICE_INLINE void sync(Coop coop, cuda::memory_order order, ncclGinFenceLevel fence CUCO_DEFAULT_FENCE) {
    if (hasInner) inner.sync(coop, hasOuter ? nccl::utility::releaseOrderOf(order) : order);
    if (hasOuter) outer.sync(coop, hasInner ? nccl::utility::acquireOrderOf(order) : order, fence);
  }

 private:
  Coop coop;
  ncclLsaBarrierSession<Coop> inner;
  ncclGinBarrierSession<Coop> outer;
  bool hasInner, hasOuter;
};
#endif
