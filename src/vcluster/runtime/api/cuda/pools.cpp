// Memory pools. A device has one heap; pools only remember what they were told.
#include <cstdio>
#include <map>

#include "base/text.h"
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

struct CUmemPoolHandle_st {
  int device = 0;
  std::map<int, uint64_t> attributes;
};

namespace {

bool is_device(int device) { return device >= 0 && static_cast<size_t>(device) < current_process().devices.size(); }

CUmemPoolHandle_st* pool_of(cudaMemPool_t handle) { return Handles<CUmemPoolHandle_st>::find(handle); }

cudaMemPool_t default_pool(int device) {
  static std::map<std::pair<const Process*, int>, cudaMemPool_t> pools;
  cudaMemPool_t& pool = pools[{&current_process(), device}];
  if (!pool) pool = Handles<CUmemPoolHandle_st>::open(new CUmemPoolHandle_st{device, {}});
  return pool;
}

// These two are 32 bits wide in the caller's memory, all others 64.
bool is_narrow(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool || !is_device(device)) return fail(cudaErrorInvalidDevice);
  *pool = default_pool(device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return pool_of(pool) && is_device(device) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (!pool || !properties) return fail(cudaErrorInvalidValue);
  *pool = Handles<CUmemPoolHandle_st>::open(new CUmemPoolHandle_st{properties->location.id, {}});
  note_open(current_process(), *pool, "memory pool", "cudaMemPoolDestroy");
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  CUmemPoolHandle_st* pool = Handles<CUmemPoolHandle_st>::close(handle);
  if (!pool) return fail(cudaErrorInvalidValue);
  note_closed(handle);
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return pool_of(pool) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  CUmemPoolHandle_st* pool = pool_of(handle);
  if (!pool || !value) return fail(cudaErrorInvalidValue);
  pool->attributes[attribute] = is_narrow(attribute) ? *static_cast<uint32_t*>(value) : *static_cast<uint64_t*>(value);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  CUmemPoolHandle_st* pool = pool_of(handle);
  if (!pool || !value || !is_device(pool->device)) return fail(cudaErrorInvalidValue);
  uint64_t found = pool->attributes[attribute];
  if (attribute >= cudaMemPoolAttrReservedMemCurrent)
    found = current_process().devices[static_cast<size_t>(pool->device)]->memory.used_bytes();
  if (is_narrow(attribute))
    *static_cast<uint32_t*>(value) = static_cast<uint32_t>(found);
  else
    *static_cast<uint64_t*>(value) = found;
  return cudaSuccess;
}
// Every device reaches every other's memory.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
  return pool_of(pool) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (!value) return fail(cudaErrorInvalidValue);
  *value = limit == cudaLimitMallocHeapSize   ? size_t{8} << 20
           : limit == cudaLimitPrintfFifoSize ? size_t{1} << 20
                                              : 1024;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  if (!text || !is_device(device)) return fail(cudaErrorInvalidDevice);
  int rank = current_process().devices[static_cast<size_t>(device)]->rank;
  std::snprintf(text, static_cast<size_t>(bytes), "0000:%02x:00.0", rank + 1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  char name[16];
  for (int i = 0; is_device(i); i++)
    if (cudaDeviceGetPCIBusId(name, sizeof name, i) == cudaSuccess && std::string(name) == text) {
      *device = i;
      return cudaSuccess;
    }
  return fail(cudaErrorInvalidValue);
}
}
