// Annotations of locks for tools: they do nothing.
#pragma once

#include "nvtx3/nvToolsExt.h"

typedef struct nvtxSyncUser* nvtxSyncUser_t;
typedef struct nvtxSyncUserAttributes_v0 {
  uint16_t version, size;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxSyncUserAttributes_t;
static inline nvtxSyncUser_t nvtxDomainSyncUserCreate(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t* a) {
  (void)domain, (void)a;
  return 0;
}
static inline void nvtxDomainSyncUserDestroy(nvtxSyncUser_t lock) { (void)lock; }
static inline void nvtxDomainSyncUserAcquireStart(nvtxSyncUser_t lock) { (void)lock; }
static inline void nvtxDomainSyncUserAcquireFailed(nvtxSyncUser_t lock) { (void)lock; }
static inline void nvtxDomainSyncUserAcquireSuccess(nvtxSyncUser_t lock) { (void)lock; }
static inline void nvtxDomainSyncUserReleasing(nvtxSyncUser_t lock) { (void)lock; }
