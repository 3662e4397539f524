// Sharing of GPU memory between processes: an allocation leaves as a file descriptor and is mapped elsewhere.
#pragma once

#include <cuda.h>

#include "nic/device.h"

namespace cuco::nic {

// Makes a context current for a scope; NCCL's threads may have another one, or none.
class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context) { cuCtxPushCurrent(context); }
  ~CurrentContext() {
    CUcontext popped = nullptr;
    cuCtxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
};

Result<Exported> export_allocation(CUdeviceptr address, size_t bytes);
Result<void*> import_allocation(int file, uint64_t mapping_bytes, CUdevice device);
void release_allocation(CUdeviceptr address, uint64_t mapping_bytes);

}  // namespace cuco::nic
