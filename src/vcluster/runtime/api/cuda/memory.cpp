// Allocation and copies.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/answers.h"
#include "vcluster/runtime/gpu/page_views.h"
#include "vcluster/runtime/harness/plain_inputs.h"
#include "vcluster/runtime/harness/plain_outputs.h"
#include "vcluster/runtime/recording/traffic_record.h"
#include "vcluster/runtime/recording/validity.h"

using namespace cuco::vcluster;

namespace {

constexpr size_t kAlignment = 256;

// Host memory that the program pinned or that both sides see lies outside the device ranges.
bool is_device_address(const void* address) { return device_of(reinterpret_cast<uintptr_t>(address)) >= 0; }

// The current device's copy of a variable that the program names by the address in its image.
char* symbol_on_device(const void* symbol) {
  auto* address = static_cast<char*>(const_cast<void*>(symbol));
  const Process& process = current_process();
  if (address < process.device_begin || address >= process.device_begin + process.device_bytes) return address;
  return process.device_copies.at(&current_device()) + (address - process.device_begin);
}

cudaMemoryType memory_type_of(const void* address) {
  auto number = reinterpret_cast<uintptr_t>(address);
  if (device_of(number) < 0) return is_pinned(number) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  const Allocation* allocation = allocation_at(address);
  bool is_managed = allocation && allocation->what.starts_with("cudaMallocManaged");
  return is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
}

cudaError_t allocate(void** out, size_t bytes, const char* what) {
  if (!out) return fail(cudaErrorInvalidValue);
  *out = nullptr;
  std::string origin = what + at_call_site();
  world->pass_time(world->costs.host_call);
  if (cudaError_t broken = state_of(current_device()); broken != cudaSuccess) return broken;
  if (bytes == 0) return cudaSuccess;
  *out = current_device().memory.allocate(bytes, kAlignment, std::move(origin));
  return *out ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

cudaError_t release(void* address) {
  if (!address) return cudaSuccess;
  plain_outputs().on_free(address);
  int device = device_of(reinterpret_cast<uintptr_t>(address));
  if (device < 0 || static_cast<size_t>(device) >= world->devices.size()) return fail(cudaErrorInvalidValue);
  return world->devices[static_cast<size_t>(device)]->memory.free(address) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

// Addresses of another node, or of another process's memory that no window opens, mean nothing to this process. What
// was never allocated shows when it is touched.
bool may_copy(const void* address, size_t bytes) {
  if (!address) return false;
  if (is_device_address(address)) return !allocation_at(address) || reaches(current_process(), address);
  check_buffer(current_process(), address, bytes, "a copy or memset");
  return true;
}

struct CopyTime {
  Time duration;
  bool stays_on_device;  // The rank's own work; anything else is communication or waits for the host.
};

// Bytes move at the slower of the two ends: PCIe when one is the host's.
CopyTime copy_time(const void* target, const void* source, size_t bytes) {
  int to = device_of(reinterpret_cast<uintptr_t>(target)), from = device_of(reinterpret_cast<uintptr_t>(source));
  const std::optional<cuco::model::Link>& link = world->options.profile.topology.inside;
  if (to >= 0 && from >= 0 && to != from && link)
    return {from_us(link->latency_us) + wire_time(*link, static_cast<double>(bytes)), false};
  bool on_device = is_device_address(target) && is_device_address(source);
  const cuco::model::HardwareProfile& profile = world->options.profile;
  double rate = (on_device ? profile.gpu.hbm_gb_per_s / 2 : profile.host.pcie_gb_per_s) * 1e9 / 1e12;
  return {kMicrosecond + static_cast<Time>(static_cast<double>(bytes) / rate), on_device && to == from};
}

// "the copy of `u` to `result` at file.cu:9".
std::string named_copy() {
  std::string to = host_operand(0), from = host_operand(1);
  std::string names = to.empty() || from.empty() ? "" : cuco::concat(" of `", from, "` to `", to, "`");
  return cuco::concat("the copy", names, at_call_site());
}

// `copy` gets the number by which the race detector knows the operation.
OperationPtr submit_copy(Stream& stream, std::string what, std::string place, CopyTime time,
                         std::function<void(uint32_t)> copy) {
  auto start = [time, copy = std::move(copy)](Operation& self) {
    Time end = world->now() + time.duration;
    self.alone = time.stays_on_device ? time.duration : 0;
    world->timeline.add_span(self.rank, Category::Copy, world->now(), end);
    world->events.at(end, [&self, copy] {
      copy(self.race_id);
      world->done.copies++;
      self.finish();
    });
  };
  return stream.submit(std::move(what), world->costs.kernel_gap, std::move(start), std::move(place));
}

void note_copy(uint32_t id, const void* target, const void* source, size_t bytes) {
  races().access_by(id, source, bytes, AccessKind::Read);
  races().access_by(id, target, bytes, AccessKind::Write);
}

bool is_on_device(const void* address) {
  return is_device_address(address) || is_device_variable(reinterpret_cast<uintptr_t>(address), current_process());
}

bool is_pageable(const void* address) {
  return !is_on_device(address) && !is_pinned(reinterpret_cast<uintptr_t>(address));
}

// When a call returns: at once, or when its copy is done, of which the program then knows or may not be sure.
enum class Returns : uint8_t { AtOnce, Staged, Done };

// Drivers bring copies between devices and pageable memory through memory of their own and return when the program's is
// filled or read. CUDA's documentation says that such a call "might be synchronous" (12.2 and later, "API
// synchronization behavior"), so that a program which relies on it runs, and relies on what is not promised. Up to
// kSentAlong bytes that a device gets go along with the command itself. Copies within the host are synchronous.
Returns return_of(const void* target, const void* source, size_t bytes, bool wait) {
  constexpr size_t kSentAlong = 64 << 10;
  if (wait || (!is_on_device(target) && !is_on_device(source))) return Returns::Done;
  if (is_pageable(target) || (is_pageable(source) && bytes > kSentAlong)) return Returns::Staged;
  return Returns::AtOnce;
}

void return_from(const OperationPtr& operation, Returns when) {
  if (when == Returns::Done) wait_on_host(operation);
  if (when == Returns::Staged) stand_still_until_done(operation);
}

// The synchronous form returns when the copy is done unless both ends are on the device.
cudaError_t copy(void* target, const void* source, size_t bytes, cudaStream_t handle, bool wait) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  if (cudaError_t broken = state_of(stream->device()); broken != cudaSuccess) return broken;
  if (!may_copy(target, bytes) || !may_copy(source, bytes)) return fail(cudaErrorInvalidValue);
  std::string place = at_call_site(), what = "the copy" + place, named = named_copy();
  AskedCopy asked = plain_outputs().ask();
  world->pass_time(world->costs.host_call);
  OperationPtr operation = stream->issue([=](Stream& on) {
    OperationPtr made = submit_copy(on, "a copy", place, copy_time(target, source, bytes), [=](uint32_t id) {
      note_copy(id, target, source, bytes);
      check_copy(target, source, bytes, named);
      move_bytes(target, source, bytes);
      if (is_device_address(source) && !is_device_address(target))
        answers().add(std::get<0>(asked), place, target, bytes, processor_ms());
      traffic_record().add_copy(target, source, bytes, place);
      plain_outputs().on_copy(asked, target, source, bytes, what);
      plain_inputs().on_copy(target, source, bytes, what);
    });
    host_races().on_queued(*made, target, bytes, true, named);
    host_races().on_queued(*made, source, bytes, false, named);
    return made;
  });
  return_from(operation, return_of(target, source, bytes, wait));
  return state_of(stream->device());
}

bool is_device(int device) { return device >= 0 && static_cast<size_t>(device) < current_process().devices.size(); }

// A copy between devices is serialised with the work of both, whichever device is current.
std::vector<Stream*> default_streams_of(std::initializer_list<int> devices, const Stream& except) {
  std::vector<Stream*> streams;
  for (int device : devices) {
    Stream& stream = current_process().devices[static_cast<size_t>(device)]->default_stream();
    if (&stream != &except && std::find(streams.begin(), streams.end(), &stream) == streams.end())
      streams.push_back(&stream);
  }
  return streams;
}

OperationPtr take_turn(Stream& stream) {
  return stream.submit("the order of a copy between devices", 0, [](Operation& self) { self.finish(); });
}

cudaError_t fill(void* target, int value, size_t bytes, cudaStream_t handle, bool wait) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  if (cudaError_t broken = state_of(stream->device()); broken != cudaSuccess) return broken;
  if (!may_copy(target, bytes)) return fail(cudaErrorInvalidValue);
  std::string place = at_call_site(), what = "the memset" + place;
  world->pass_time(world->costs.host_call);
  OperationPtr operation = stream->issue([=](Stream& on) {
    OperationPtr made = submit_copy(on, "a memset", place, copy_time(target, target, bytes), [=](uint32_t id) {
      races().access_by(id, target, bytes, AccessKind::Write);
      note_write(target, bytes, what);
      fill_bytes(target, value, bytes);
    });
    host_races().on_queued(*made, target, bytes, true, what);
    return made;
  });
  if (wait) wait_on_host(operation);
  return state_of(stream->device());
}

cudaError_t copy_2d(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                    size_t height, cudaStream_t handle, bool wait) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (width > target_pitch || width > source_pitch) return fail(cudaErrorInvalidPitchValue);
  if (width == 0 || height == 0) return cudaSuccess;
  if (!may_copy(target, (height - 1) * target_pitch + width) || !may_copy(source, (height - 1) * source_pitch + width))
    return fail(cudaErrorInvalidValue);
  std::string place = at_call_site(), what = "the copy" + place, named = named_copy();
  AskedCopy asked = plain_outputs().ask();
  world->pass_time(world->costs.host_call);
  auto copy_rows = [=](uint32_t id) {
    for (size_t row = 0; row < height; row++) {
      char* to = static_cast<char*>(target) + row * target_pitch;
      const char* from = static_cast<const char*>(source) + row * source_pitch;
      note_copy(id, to, from, width);
      check_copy(to, from, width, named);
      if (keeps_validity || world->moves(width * height)) move_bytes(to, from, width);
      traffic_record().add_copy(to, from, width, place);
      plain_outputs().on_copy(asked, to, from, width, what);
    }
  };
  OperationPtr operation = stream->issue([=](Stream& on) {
    OperationPtr made = submit_copy(on, "a copy", place, copy_time(target, source, width * height), copy_rows);
    host_races().on_queued(*made, target, (height - 1) * target_pitch + width, true, named);
    host_races().on_queued(*made, source, (height - 1) * source_pitch + width, false, named);
    return made;
  });
  return_from(operation, return_of(target, source, width * height, wait));
  return state_of(stream->device());
}

}  // namespace

cudaError_t cuco::vcluster::free_on_device(void* address) {
  cudaError_t state = address ? cudaDeviceSynchronize() : cudaSuccess;
  cudaError_t released = release(address);
  return state == cudaSuccess ? released : state;
}

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) { return allocate(out, bytes, "cudaMalloc"); }
cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned) {
  host_races().on_common_memory();
  return allocate(out, bytes, "cudaMallocManaged");
}
// Memory that belongs to a graph is not modelled: these two are refused while their stream is captured.
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (stream->capture) return fail(cudaErrorStreamCaptureUnsupported);
  return allocate(out, bytes, "cudaMallocAsync");
}
cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(out, bytes, stream);
}
cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(out, *pitch * height, "cudaMallocPitch");
}
cudaError_t cudaFree(void* address) {
  check_free(address, "cudaFree");
  return free_on_device(address);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (stream->capture) return fail(cudaErrorStreamCaptureUnsupported);
  stream->submit("a free", 0, [address](Operation& self) {
    release(address);
    self.finish();
  });
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned) {
  *out = current_process().heap.allocate((bytes + 4095) / 4096 * 4096 + 4096, 4096);
  if (*out) pin_host_memory(*out, bytes);
  host_races().on_common_memory();
  return *out ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocHost(void** out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }
cudaError_t cudaFreeHost(void* address) {
  host_races().on_release(address, 0, cuco::concat("cudaFreeHost", at_call_site(), " frees"));
  unpin_host_memory(address);
  std::free(address);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned) {
  pin_host_memory(address, bytes);
  host_races().on_common_memory();
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* address) {
  unpin_host_memory(address);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return copy(target, source, bytes, nullptr, kind != cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return copy(target, source, bytes, stream, false);
}
cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
  if (!is_device(target_device) || !is_device(source_device)) return fail(cudaErrorInvalidDevice);
  Stream& own = current_device().default_stream();
  std::vector<Stream*> others = default_streams_of({target_device, source_device}, own);
  for (Stream* other : others) own.wait_for(take_turn(*other));
  cudaError_t result = copy(target, source, bytes, nullptr, false);
  for (Stream* other : others) {
    other->wait_for(own.last());
    take_turn(*other);
  }
  return result;
}
cudaError_t cudaMemcpyPeerAsync(void* target, int, const void* source, int, size_t bytes, cudaStream_t stream) {
  return copy(target, source, bytes, stream, false);
}
cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind) {
  return copy_2d(target, target_pitch, source, source_pitch, width, height, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t stream) {
  return copy_2d(target, target_pitch, source, source_pitch, width, height, stream, false);
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy(symbol_on_device(symbol) + offset, source, bytes, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy(target, symbol_on_device(symbol) + offset, bytes, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset, cudaMemcpyKind,
                                    cudaStream_t stream) {
  return copy(symbol_on_device(symbol) + offset, source, bytes, stream, false);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind,
                                      cudaStream_t stream) {
  return copy(target, symbol_on_device(symbol) + offset, bytes, stream, false);
}
cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  *out = symbol_on_device(symbol);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* target, int value, size_t bytes) { return fill(target, value, bytes, nullptr, false); }
cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
  return fill(target, value, bytes, stream, false);
}
cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (width == 0 || height == 0) return cudaSuccess;
  if (!may_copy(target, (height - 1) * pitch + width)) return fail(cudaErrorInvalidValue);
  auto fill_rows = [=](uint32_t id) {
    for (size_t row = 0; row < height; row++) {
      races().access_by(id, static_cast<char*>(target) + row * pitch, width, AccessKind::Write);
      note_write(static_cast<char*>(target) + row * pitch, width, "a memset");
      fill_bytes(static_cast<char*>(target) + row * pitch, value, width);
    }
  };
  stream->issue([=, place = at_call_site()](Stream& on) {
    return submit_copy(on, "a memset", place, copy_time(target, target, width * height), fill_rows);
  });
  return cudaSuccess;
}
cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(target, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemGetInfo(size_t* unused, size_t* total) {
  Device& device = current_device();
  *total = static_cast<size_t>(device.gpu.hbm_gib * (1u << 30));
  *unused = *total - device.memory.used_bytes();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* address) {
  *out = {};
  int rank = device_of(reinterpret_cast<uintptr_t>(address));
  const std::vector<Device*>& seen = current_process().devices;
  out->type = memory_type_of(address);
  for (size_t i = 0; i < seen.size(); i++)
    if (seen[i]->rank == rank) out->device = static_cast<int>(i);
  bool on_host = out->type != cudaMemoryTypeDevice;
  if (out->type != cudaMemoryTypeUnregistered) out->devicePointer = const_cast<void*>(address);
  if (on_host) out->hostPointer = const_cast<void*>(address);
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
}
