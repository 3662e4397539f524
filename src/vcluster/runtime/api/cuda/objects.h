// The objects behind CUDA's handles, and how a call finds the device and stream it speaks of.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/stream.h"

struct CUevent_st {
  cuco::vcluster::OperationPtr recorded;
  bool timed = true;
  // Recorded while its stream was captured: what it stands for in that capture.
  std::shared_ptr<cuco::vcluster::StreamCapture> capture;
  std::vector<size_t> marks;
};

namespace cuco::vcluster {

// Of the calling host thread.
Device& current_device();

// The stream a handle names: null and the two special values included. Null when it was destroyed or never made.
Stream* stream_of(cudaStream_t handle);

// Sets the thread's last error and returns it.
cudaError_t fail(cudaError_t error);

// What calls that concern the device return while nothing else is wrong: its sticky error, or success.
cudaError_t state_of(const Device& device);

// Waits for the current device, then frees memory of any device.
cudaError_t free_on_device(void* address);

struct KernelEntry {
  std::string name;
  size_t argument_bytes = 0;
  void (*pack)(void**, void*) = nullptr;
  void (*run)(const void*) = nullptr;
};

// Kernels that a process refers to other than in a launch; null when the address is none of them.
const KernelEntry* kernel_at(const Process& process, const void* address);

cudaError_t launch_on(Stream& stream, KernelLaunch launch);

}  // namespace cuco::vcluster
