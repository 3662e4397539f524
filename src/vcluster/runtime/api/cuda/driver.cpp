// The driver calls that runtime programs mix in. A context is the device that it stands for.
#include <cuda.h>

#include <cstdio>

#include "vcluster/runtime/api/cuda/objects.h"

using namespace cuco::vcluster;

namespace {

// Contexts are numbered from 1, so that none is null.
CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1); }
int device_of_context(CUcontext context) { return static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1; }

CUresult as_driver(cudaError_t error) { return static_cast<CUresult>(error); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return as_driver(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int* count) { return as_driver(cudaGetDeviceCount(count)); }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= current_process().devices.size()) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (device < 0 || static_cast<size_t>(device) >= current_process().devices.size()) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(bytes), "%s",
                current_process().devices[static_cast<size_t>(device)]->gpu.name.c_str());
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = context_of(device);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = context_of(world->current_host->device);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return context ? as_driver(cudaSetDevice(device_of_context(context))) : CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return as_driver(cudaDeviceSynchronize()); }
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
}
