// The devices that a program without the harness sees where its ranks share one GPU: as many as it has ranks, all of
// them that GPU. Programs take the device of their rank, and count devices before they begin. Where the setting
// `devices` is 0, a program sees what is there.
#include <cuda_runtime.h>

#include "cuco/runner/next_function.h"
#include "cuco/runner/settings.h"

namespace {

bool is_shared() { return cuco::runner::settings().devices > 0; }

// The last that this thread has chosen.
int& chosen_device() {
  thread_local int device = 0;
  return device;
}

bool is_seen(int device) { return device >= 0 && device < static_cast<int>(cuco::runner::settings().devices); }

// Calls the library's function of this name with the device that is there.
template <typename Function, typename Call>
cudaError_t on_real_device(const char* name, int device, Call call) {
  auto next = cuco::runner::next_function<Function>(name);
  if (!is_shared()) return call(next, device);
  return is_seen(device) ? call(next, 0) : cudaErrorInvalidDevice;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  static const auto next = cuco::runner::next_function<cudaError_t (*)(int*)>("cudaGetDeviceCount");
  cudaError_t result = next(count);
  if (result == cudaSuccess && is_shared()) *count = static_cast<int>(cuco::runner::settings().devices);
  return result;
}

cudaError_t cudaSetDevice(int device) {
  return on_real_device<cudaError_t (*)(int)>("cudaSetDevice", device, [&](auto next, int real) {
    cudaError_t result = next(real);
    if (result == cudaSuccess) chosen_device() = device;
    return result;
  });
}

cudaError_t cudaGetDevice(int* device) {
  static const auto next = cuco::runner::next_function<cudaError_t (*)(int*)>("cudaGetDevice");
  cudaError_t result = next(device);
  if (result == cudaSuccess && is_shared()) *device = chosen_device();
  return result;
}

// A macro of CUDA 12's headers gives it another name.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  constexpr const char* kName = CUDART_VERSION / 1000 == 12 ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
  return on_real_device<cudaError_t (*)(cudaDeviceProp*, int)>(
      kName, device, [&](auto next, int real) { return next(properties, real); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return on_real_device<cudaError_t (*)(int*, cudaDeviceAttr, int)>(
      "cudaDeviceGetAttribute", device, [&](auto next, int real) { return next(value, attribute, real); });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return on_real_device<cudaError_t (*)(char*, int, int)>(
      "cudaDeviceGetPCIBusId", device, [&](auto next, int real) { return next(text, length, real); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return on_real_device<cudaError_t (*)(cudaMemPool_t*, int)>("cudaDeviceGetDefaultMemPool", device,
                                                              [&](auto next, int real) { return next(pool, real); });
}

// A GPU reaches itself, which CUDA does not call a peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  using Function = cudaError_t (*)(int*, int, int);
  static const auto next = cuco::runner::next_function<Function>("cudaDeviceCanAccessPeer");
  if (!is_shared()) return next(can, device, peer);
  if (!is_seen(device) || !is_seen(peer)) return cudaErrorInvalidDevice;
  *can = device != peer;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  using Function = cudaError_t (*)(int, unsigned);
  static const auto next = cuco::runner::next_function<Function>("cudaDeviceEnablePeerAccess");
  if (!is_shared()) return next(peer, flags);
  return is_seen(peer) && peer != chosen_device() ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  using Function = cudaError_t (*)(void*, int, const void*, int, size_t);
  static const auto next = cuco::runner::next_function<Function>("cudaMemcpyPeer");
  return is_shared() ? next(to, 0, from, 0, bytes) : next(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  using Function = cudaError_t (*)(void*, int, const void*, int, size_t, cudaStream_t);
  static const auto next = cuco::runner::next_function<Function>("cudaMemcpyPeerAsync");
  return is_shared() ? next(to, 0, from, 0, bytes, stream) : next(to, to_device, from, from_device, bytes, stream);
}
}
