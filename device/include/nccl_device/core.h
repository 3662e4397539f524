// Teams, windows, resources and the device communicator.
// A window keeps the address of every rank's copy, so a pointer to a peer is one table look-up.
#pragma once

#include "nccl_device/coop.h"
#include "nccl_device/utility.h"

typedef uint32_t ncclDevResourceHandle;
typedef ncclDevResourceHandle ncclDevResourceHandle_t;
typedef uint32_t ncclGinSignal_t;
typedef uint32_t ncclGinCounter_t;

typedef struct ncclTeam { int nRanks, rank, stride; } ncclTeam_t;
typedef struct ncclMultimemHandle { void* mcBasePtr; } ncclMultimemHandle_t;
typedef struct ncclLsaBarrierHandle { ncclDevResourceHandle_t bufHandle; int nBarriers; } ncclLsaBarrierHandle_t;
typedef struct ncclGinBarrierHandle {
  ncclGinSignal_t signal0;
  ncclDevResourceHandle_t bufHandle;
  int nBarriers;
} ncclGinBarrierHandle_t;
typedef struct ncclLLA2AHandle { ncclDevResourceHandle_t bufHandle; uint32_t nSlots; } ncclLLA2AHandle_t;

struct ncclTeamTagWorld {};
struct ncclTeamTagLsa {};
struct ncclTeamTagRail {};
template <class T>
struct ncclSymPtr;

struct ncclWindow_vidmem {
  char* const* baseOfRank;  // By world rank of the communicator.
  char* multicastBase;      // An address that only multimem instructions may use.
  int worldRank;
  int lsaFirst;  // World rank of the LSA team's rank 0.
  int lsaCount;
  size_t bytesOfAll;  // That every rank has; 0 once the window is gone.
};

typedef struct ncclDevResourceRequirements {
  struct ncclDevResourceRequirements* next;
  size_t bufferSize, bufferAlign;
  ncclDevResourceHandle_t* outBufferHandle;
  int ginSignalCount, ginCounterCount;
  ncclGinSignal_t* outGinSignalStart;
  ncclGinCounter_t* outGinCounterStart;
} ncclDevResourceRequirements_t;

typedef struct ncclTeamRequirements {
  struct ncclTeamRequirements* next;
  ncclTeam_t team;
  bool multimem;
  ncclMultimemHandle_t* outMultimemHandle;
} ncclTeamRequirements_t;

typedef enum { NCCL_GIN_CONNECTION_NONE, NCCL_GIN_CONNECTION_FULL, NCCL_GIN_CONNECTION_RAIL } ncclGinConnectionType_t;
typedef enum { NCCL_GIN_TYPE_NONE = 0, NCCL_GIN_TYPE_PROXY = 2, NCCL_GIN_TYPE_GDAKI = 3 } ncclGinType_t;

// The fields from ginConnectionType on came with 2.30.
typedef struct ncclDevCommRequirements {
  ncclDevResourceRequirements_t* resourceRequirementsList;
  ncclTeamRequirements_t* teamRequirementsList;
  bool lsaMultimem;
  int barrierCount, lsaBarrierCount, railGinBarrierCount;
  int lsaLLA2ABlockCount, lsaLLA2ASlotCount;
  bool ginForceEnable;
  int ginContextCount, ginSignalCount, ginCounterCount;
  ncclGinConnectionType_t ginConnectionType;
  bool ginExclusiveContexts;
  int ginQueueDepth, ginTrafficClass, worldGinBarrierCount;
  bool ginStrongSignalsRequired, ginVaSignalsRequired;
} ncclDevCommRequirements_t;
#define NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER                                                               \
  {                                                                                                          \
    NULL, NULL, false, 0, 0, 0, 0, 0, false, 4, 0, 0, NCCL_GIN_CONNECTION_NONE, false, 0,                    \
        NCCL_CONFIG_UNDEF_INT, 0, true, true                                                                 \
  }

// Since 2.30.
typedef struct ncclCommProperties {
  int rank, nRanks, cudaDev, nvmlDev;
  bool deviceApiSupport, multimemSupport;
  ncclGinType_t ginType;
  int nLsaTeams;
  bool hostRmaSupport;
  ncclGinType_t railedGinType;
} ncclCommProperties_t;
#define NCCL_COMM_PROPERTIES_INITIALIZER {}
NCCL_EXTERN_C __host__ ncclResult_t ncclCommQueryProperties(ncclComm_t comm, ncclCommProperties_t* props);

typedef struct ncclDevComm {
  int rank, nRanks;
  int lsaRank, lsaSize;
  ncclWindow_t resourceWindow;
  ncclMultimemHandle_t lsaMultimem;
  ncclLsaBarrierHandle_t lsaBarrier;
  ncclGinBarrierHandle_t railGinBarrier, worldGinBarrier;
  ncclLLA2AHandle_t lsaLLA2A;
  uint8_t ginContextCount;
  uint32_t ginSignalBase, ginCounterBase;
  int ginSignalCount, ginCounterCount;
  uint64_t* ginSignalShadows;
  void* owner;  // A number by which the virtual cluster knows this communicator.
} ncclDevComm_t;

NCCL_EXTERN_C __host__ ncclResult_t ncclDevCommCreate(ncclComm_t comm, ncclDevCommRequirements_t const* reqs,
                                                      ncclDevComm_t* outDevComm);
NCCL_EXTERN_C __host__ ncclResult_t ncclDevCommDestroy(ncclComm_t comm, ncclDevComm_t const* devComm);
NCCL_EXTERN_C __host__ ncclResult_t ncclGetLsaDevicePointer(ncclWindow_t window, size_t offset, int lsaRank,
                                                            void** outPtr);
NCCL_EXTERN_C __host__ ncclResult_t ncclGetPeerDevicePointer(ncclWindow_t window, size_t offset, int peer,
                                                             void** outPtr);
NCCL_EXTERN_C __host__ ncclTeam_t ncclTeamWorld(ncclComm_t comm);
NCCL_EXTERN_C __host__ ncclTeam_t ncclTeamLsa(ncclComm_t comm);
NCCL_EXTERN_C __host__ ncclTeam_t ncclTeamRail(ncclComm_t comm);
NCCL_EXTERN_C __host__ int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank);
NCCL_EXTERN_C __host__ int ncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank);

NCCL_HOST_DEVICE_INLINE ncclTeam ncclTeamWorld(ncclDevComm const& comm) { return {comm.nRanks, comm.rank, 1}; }
NCCL_HOST_DEVICE_INLINE ncclTeam ncclTeamLsa(ncclDevComm const& comm) { return {comm.lsaSize, comm.lsaRank, 1}; }
NCCL_HOST_DEVICE_INLINE ncclTeam ncclTeamRail(ncclDevComm const& comm) {
  return {comm.nRanks / comm.lsaSize, comm.rank / comm.lsaSize, comm.lsaSize};
}
NCCL_HOST_DEVICE_INLINE int ncclTeamRankToWorld(ncclDevComm const& comm, ncclTeam team, int rank) {
  return comm.rank + (rank - team.rank) * team.stride;
}
NCCL_HOST_DEVICE_INLINE int ncclTeamRankToLsa(ncclDevComm const& comm, ncclTeam team, int rank) {
  return comm.lsaRank + (rank - team.rank) * team.stride;
}
// Whether rank bPeer of team b belongs to team a. Both teams contain the caller.
NCCL_HOST_DEVICE_INLINE bool ncclTeamRankIsMember(ncclTeam_t a, ncclTeam_t b, int bPeer) {
  int distance = (bPeer - b.rank) * b.stride;
  int inA = a.rank + distance / a.stride;
  return distance % a.stride == 0 && 0 <= inA && inA < a.nRanks;
}
NCCL_HOST_DEVICE_INLINE int ncclTeamRankToTeam(ncclTeam_t a, ncclTeam_t b, int bPeer) {
  return a.rank + (bPeer - b.rank) * b.stride / a.stride;
}
NCCL_HOST_DEVICE_INLINE ncclTeam_t ncclTeamInnerFactor(ncclTeam_t parent, int innerSize) {
  return {innerSize, parent.rank % innerSize, parent.stride};
}
NCCL_HOST_DEVICE_INLINE ncclTeam_t ncclTeamOuterFactor(ncclTeam_t parent, int innerSize) {
  return {parent.nRanks / innerSize, parent.rank / innerSize, parent.stride * innerSize};
}
// The index-th rank of parent that is not in subset.
NCCL_HOST_DEVICE_INLINE int ncclTeamRankInDifference(ncclTeam_t parent, ncclTeam_t subset, int index) {
  int step = subset.stride / parent.stride, first = parent.rank - subset.rank * step;
  int last = first + (subset.nRanks - 1) * step;
  if (index < first) return index;
  int between = (step - 1) * (subset.nRanks - 1);
  if (index - first >= between) return last + 1 + (index - first - between);
  int gap = (index - first) / (step - 1);
  return first + 1 + gap * step + (index - first) % (step - 1);
}
NCCL_HOST_DEVICE_INLINE size_t ncclGetResourceBufferOffset(ncclDevResourceHandle_t h) { return (size_t)h * 128; }

#ifdef CUCO_CUDA_SOURCE
// Reports a rank outside the window's reach (another node, or none at all) with the kernel and thread that asked.
extern "C" __device__ void cuco_check_window(ncclWindow_t w, size_t offset, int world_rank, int through_lsa);

NCCL_DEVICE_INLINE void* cuco_window_pointer(ncclWindow_t w, size_t offset, int world_rank, int through_lsa) {
  bool fine = w && offset < w->bytesOfAll && (unsigned)(world_rank - w->lsaFirst) < (unsigned)w->lsaCount;
  if (!fine) cuco_check_window(w, offset, world_rank, through_lsa);
  return w->baseOfRank[world_rank] + offset;
}
NCCL_DEVICE_INLINE void* ncclGetLocalPointer(ncclWindow_t w, size_t offset) {
  return cuco_window_pointer(w, offset, w->worldRank, 0);
}
NCCL_DEVICE_INLINE void* ncclGetLsaPointer(ncclWindow_t w, size_t offset, int peer) {
  return cuco_window_pointer(w, offset, w->lsaFirst + peer, 1);
}
NCCL_DEVICE_INLINE void* ncclGetPeerPointer(ncclWindow_t w, size_t offset, int peer) {
  return cuco_window_pointer(w, offset, peer, 1);
}
NCCL_DEVICE_INLINE void* ncclGetPeerPointer(ncclWindow_t w, size_t offset, ncclTeam tm, int peer) {
  return cuco_window_pointer(w, offset, w->worldRank + (peer - tm.rank) * tm.stride, 1);
}
NCCL_DEVICE_INLINE void* ncclGetMultimemPointer(ncclWindow_t w, size_t offset, ncclMultimemHandle mmHandle) {
  return w->multicastBase + offset;
}
NCCL_DEVICE_INLINE void* ncclGetLsaMultimemPointer(ncclWindow_t w, size_t offset, ncclDevComm const&) {
  return w->multicastBase + offset;
}

NCCL_DEVICE_INLINE ncclSymPtr<char> ncclGetResourceBuffer(ncclDevComm const& comm, ncclDevResourceHandle h);
NCCL_DEVICE_INLINE void* ncclGetResourceBufferLocalPointer(ncclDevComm const& comm, ncclDevResourceHandle h) {
  return ncclGetLocalPointer(comm.resourceWindow, ncclGetResourceBufferOffset(h));
}
NCCL_DEVICE_INLINE void* ncclGetResourceBufferLsaPointer(ncclDevComm const& comm, ncclDevResourceHandle h, int peer) {
  return ncclGetLsaPointer(comm.resourceWindow, ncclGetResourceBufferOffset(h), peer);
}
NCCL_DEVICE_INLINE void* ncclGetResourceBufferPeerPointer(ncclDevComm const& comm, ncclDevResourceHandle h,
                                                          ncclTeam team, int peer) {
  return ncclGetPeerPointer(comm.resourceWindow, ncclGetResourceBufferOffset(h), team, peer);
}
NCCL_DEVICE_INLINE void* ncclGetResourceBufferMultimemPointer(ncclDevComm const& comm, ncclDevResourceHandle h,
                                                              ncclMultimemHandle mmHandle) {
  return ncclGetMultimemPointer(comm.resourceWindow, ncclGetResourceBufferOffset(h), mmHandle);
}
NCCL_DEVICE_INLINE void* ncclGetResourceBufferLsaMultimemPointer(ncclDevComm const& comm, ncclDevResourceHandle h) {
  return ncclGetLsaMultimemPointer(comm.resourceWindow, ncclGetResourceBufferOffset(h), comm);
}
#endif
