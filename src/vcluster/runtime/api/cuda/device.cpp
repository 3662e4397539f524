// Devices, their properties, launches and errors.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "base/text.h"
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/gpu/kernel_names.h"
#include "vcluster/runtime/recording/access_recorder.h"

namespace cuco::vcluster {

namespace {

std::map<std::pair<const Process*, const void*>, KernelEntry>& kernels() {
  static std::map<std::pair<const Process*, const void*>, KernelEntry> all;
  return all;
}

struct ErrorName {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorName kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};

const ErrorName& name_of(cudaError_t code) {
  static constexpr ErrorName unknown = {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  for (const ErrorName& error : kErrors)
    if (error.code == code) return error;
  return unknown;
}

uint64_t volume(uint3 size) { return uint64_t{size.x} * size.y * size.z; }

// What the launch asks that this device cannot give.
cudaError_t check(const Device& device, const KernelLaunch& launch) {
  if (volume(launch.grid) == 0 || volume(launch.block) == 0) return cudaErrorInvalidConfiguration;
  if (launch.grid.y > 65535 || launch.grid.z > 65535) return cudaErrorInvalidConfiguration;
  size_t shared = launch.dynamic_shared_bytes;
  if (!device.refusal(volume(launch.block), shared).empty())
    return volume(launch.block) > 1024 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  auto threads = static_cast<uint32_t>(volume(launch.block));
  uint64_t resident = uint64_t{device.resident_blocks(threads, padded_shared(launch.static_shared_bytes) + shared)} *
                      device.gpu.sm_count;
  if (launch.cooperative && volume(launch.grid) > resident) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

// Programs often go on after it, on a device that another rank has too.
void tell_of_missing_device(int device) {
  const Process& process = current_process();
  static std::set<const Process*> told;
  if (!told.insert(&process).second) return;
  size_t count = process.devices.size();
  const RunOptions& options = world->options;
  std::string there = cuco::concat(options.ranks_are_processes ? cuco::concat("node ", process.node) : "the process",
                                   " has ", cuco::counted(count, "device"), ", numbered from 0");
  std::string advice = options.ranks_are_processes
                           ? cuco::concat("cudaSetDevice(rank % device_count) works on every layout",
                                          options.node_count > 1 ? ", and --nodes 1 puts all ranks on one node" : "")
                           : cuco::concat("-n ", device + 1, " gives it that many");
  world->add_warning("device_choice", process.rank,
                     cuco::concat("cudaSetDevice(", device, ")", host_place(), ": ", there, "; ", advice));
}

bool is_unused(const Device& device) { return device.memory.all().empty() && device.streams.size() == 1; }

// A node has more devices than ranks: the one that a rank chooses first is known by the rank's number from then on, as
// its own always is, unless somebody chose or used either before.
void keep_number_of_rank(const Process& process, size_t number) {
  static std::set<const Process*> known;
  static std::set<const Device*> chosen;
  Device* own = world->devices[static_cast<size_t>(process.rank)].get();
  Device* other = process.devices[number];
  bool is_first = known.insert(&process).second && !chosen.contains(own) && !chosen.contains(other);
  bool is_spare = other->rank >= static_cast<int>(world->options.rank_count);
  bool swaps = world->options.ranks_are_processes && is_first && is_spare && is_unused(*own) && is_unused(*other);
  chosen.insert(swaps ? own : other);
  if (!swaps) return;
  for (const std::unique_ptr<Process>& each : world->processes) {
    auto a = std::ranges::find(each->devices, own), b = std::ranges::find(each->devices, other);
    if (a != each->devices.end() && b != each->devices.end()) std::iter_swap(a, b);
  }
}

}  // namespace

const KernelEntry* kernel_at(const Process& process, const void* address) {
  auto found = kernels().find({&process, address});
  return found == kernels().end() ? nullptr : &found->second;
}

// Of the first function that the image knows; else what no kernel of it exceeds.
static size_t static_shared_bytes(std::initializer_list<const void*> functions) {
  const Process& process = current_process();
  for (const void* function : functions)
    if (auto known = process.static_shared_bytes.find(function); known != process.static_shared_bytes.end())
      return known->second;
  return process.shared_bytes;
}
// The packed arguments begin with the kernel, unless its template arguments are deduced: then `run` is its own.
static size_t static_shared_bytes(const KernelLaunch& launch) {
  uint64_t first = launch.arguments.empty() ? 0 : launch.arguments.front();
  return static_shared_bytes({reinterpret_cast<const void*>(first), reinterpret_cast<const void*>(launch.run)});
}

cudaError_t launch_on(Stream& stream, KernelLaunch launch) {
  if (cudaError_t broken = state_of(stream.device()); broken != cudaSuccess) return broken;
  launch.static_shared_bytes = static_shared_bytes(launch);
  if (cudaError_t error = check(stream.device(), launch); error != cudaSuccess) return fail(error);
  world->pass_time(world->costs.launch_call);
  launch.process = &current_process();
  launch.priority = stream.priority();
  launch.access_record = access_recorder().on_launch(launch, stream);
  std::string what = concat("kernel ", launch.name, " launched at ", launch.place);
  stream.issue([what, launch = std::move(launch)](Stream& on) {
    return on.submit(what, world->costs.launch, [&on, launch](Operation& self) {
      KernelLaunch begun = launch;
      begun.work = &self.work;
      begun.operation = &self;
      begun.race_id = self.race_id;
      begun.stream = on.number();
      on.device().launch(std::move(begun), [&self] {
        world->done.kernels++;
        self.finish();
      });
    });
  });
  return cudaSuccess;
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

namespace {

// As cuco/execute.h lays it out.
struct LaunchRequest {
  const char* name;
  const char* place;
  const void* address;
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  int cooperative;
  void (*run)(const void*);
  const void* arguments;
  size_t argument_bytes;
  const size_t *offsets, *sizes;
  size_t argument_count;
};
struct RegisteredKernel {
  const char* name;
  const void* address;
  size_t argument_bytes;
  void (*pack)(void**, void*);
  void (*run)(const void*);
};

std::string registered_name(const RegisteredKernel& kernel) {
  std::string written = kernel.name;
  return written.find('<') == written.npos ? written : instance_name(written, kernel.address);
}

cudaError_t launch_by_address(const void* address, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                              cudaStream_t handle, bool cooperative) {
  const KernelEntry* entry = kernel_at(current_process(), address);
  Stream* stream = stream_of(handle);
  if (!entry) return fail(cudaErrorInvalidDeviceFunction);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  KernelLaunch launch;
  launch.name = entry->name, launch.place = "a call of cudaLaunchKernel";
  launch.grid = grid, launch.block = block, launch.dynamic_shared_bytes = shared_bytes;
  launch.cooperative = cooperative, launch.run = entry->run;
  launch.arguments.resize((entry->argument_bytes + 7) / 8);
  entry->pack(arguments, launch.arguments.data());
  // The packed arguments begin with the function to call.
  std::memcpy(launch.arguments.data(), &address, sizeof address);
  return launch_on(*stream, std::move(launch));
}

int attribute_of(const Device& device, cudaDeviceAttr attribute) {
  const auto& gpu = device.gpu;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 48 * 1024;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(gpu.shared_kib_per_sm * 1024 - 1024);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(gpu.shared_kib_per_sm * 1024);
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrClockRate:
      return static_cast<int>(gpu.clock_ghz * 1e6);
    case cudaDevAttrMultiProcessorCount:
      return static_cast<int>(gpu.sm_count);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return static_cast<int>(gpu.threads_per_sm_max);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return static_cast<int>(gpu.blocks_per_sm_max);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return static_cast<int>(gpu.registers_per_sm);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(gpu.l2_mib * (1 << 20));
    case cudaDevAttrComputeCapabilityMajor:
      return std::atoi(gpu.architecture.c_str() + 3) / 10;
    case cudaDevAttrComputeCapabilityMinor:
      return std::atoi(gpu.architecture.c_str() + 3) % 10;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

struct FunctionEntry {
  const void* function;
  uint64_t shared_bytes;
};
void cuco_note_functions(const FunctionEntry* entries, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    current_process().static_shared_bytes[entries[i].function] = entries[i].shared_bytes;
}

void cuco_register_kernel(const RegisteredKernel* kernel) {
  auto [known, is_first] = kernels().try_emplace({&current_process(), kernel->address});
  if (is_first) known->second = {registered_name(*kernel), kernel->argument_bytes, kernel->pack, kernel->run};
}

// A launch in a header of a library stands where the program called the library.
static std::string place_of(const LaunchRequest& request) {
  std::string_view place = request.place;
  const char* caller = world->current_host->place;
  bool is_librarys = !world->options.header_folder.empty() && place.starts_with(world->options.header_folder);
  return std::string(is_librarys && caller ? caller : place);
}

cudaError_t cuco_launch(const LaunchRequest* request) {
  Stream* stream = stream_of(request->stream);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  KernelLaunch launch;
  launch.name = request->name, launch.place = place_of(*request);
  launch.grid = request->grid, launch.block = request->block;
  launch.dynamic_shared_bytes = request->shared_bytes, launch.cooperative = request->cooperative;
  launch.run = request->run;
  launch.arguments.resize((request->argument_bytes + 7) / 8);
  std::memcpy(launch.arguments.data(), request->arguments, request->argument_bytes);
  launch.argument_offsets.assign(request->offsets, request->offsets + request->argument_count);
  launch.argument_sizes.assign(request->sizes, request->sizes + request->argument_count);
  return launch_on(*stream, std::move(launch));
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  return launch_by_address(function, grid, block, arguments, shared_bytes, stream, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return launch_by_address(function, grid, block, arguments, shared_bytes, stream, true);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = config->attrs[i].val.cooperative;
  return launch_by_address(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                           config->stream, cooperative);
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute, int) {
  return kernel_at(current_process(), function) ? cudaSuccess : fail(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
  if (!kernel_at(current_process(), function)) return fail(cudaErrorInvalidDeviceFunction);
  *out = {};
  out->maxThreadsPerBlock = 1024;
  out->maxDynamicSharedSizeBytes = attribute_of(current_device(), cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void* function, int threads,
                                                          size_t shared_bytes) {
  if (threads <= 0) return fail(cudaErrorInvalidValue);
  shared_bytes += padded_shared(static_shared_bytes({function}));
  *count = static_cast<int>(current_device().resident_blocks(static_cast<uint32_t>(threads), shared_bytes));
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, const void* function, int threads,
                                                                   size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, shared_bytes);
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(current_process().devices.size());
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || static_cast<size_t>(device) >= current_process().devices.size()) {
    tell_of_missing_device(device);
    return fail(cudaErrorInvalidDevice);
  }
  world->current_host->device = device;
  keep_number_of_rank(current_process(), static_cast<size_t>(device));
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = world->current_host->device;
  return cudaSuccess;
}
cudaError_t cudaInitDevice(int, unsigned, unsigned) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  cudaError_t result = cudaDeviceSynchronize();
  DeviceMemory& memory = current_device().memory;
  for (const Allocation* allocation : memory.live()) memory.free(reinterpret_cast<void*>(allocation->begin));
  note_reset(current_process());
  return result;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device < 0 || static_cast<size_t>(device) >= current_process().devices.size())
    return fail(cudaErrorInvalidDevice);
  *value = attribute_of(*current_process().devices[static_cast<size_t>(device)], attribute);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int number) {
  const std::vector<Device*>& seen = current_process().devices;
  if (number < 0 || static_cast<size_t>(number) >= seen.size()) return fail(cudaErrorInvalidDevice);
  const Device& device = *seen[static_cast<size_t>(number)];
  std::memset(out, 0, sizeof *out);
  std::snprintf(out->name, sizeof out->name, "%s", device.gpu.name.c_str());
  out->totalGlobalMem = static_cast<size_t>(device.gpu.hbm_gib * (1u << 30));
  out->sharedMemPerBlock = 48 * 1024;
  out->sharedMemPerBlockOptin = device.gpu.shared_kib_per_sm * 1024 - 1024;
  out->sharedMemPerMultiprocessor = device.gpu.shared_kib_per_sm * 1024;
  out->regsPerBlock = out->regsPerMultiprocessor = static_cast<int>(device.gpu.registers_per_sm);
  out->warpSize = 32;
  out->maxThreadsPerBlock = out->maxThreadsDim[0] = out->maxThreadsDim[1] = 1024;
  out->maxThreadsDim[2] = 64;
  out->maxGridSize[0] = 0x7fffffff, out->maxGridSize[1] = out->maxGridSize[2] = 65535;
  out->major = attribute_of(device, cudaDevAttrComputeCapabilityMajor);
  out->minor = attribute_of(device, cudaDevAttrComputeCapabilityMinor);
  out->multiProcessorCount = static_cast<int>(device.gpu.sm_count);
  out->maxThreadsPerMultiProcessor = static_cast<int>(device.gpu.threads_per_sm_max);
  out->maxBlocksPerMultiProcessor = static_cast<int>(device.gpu.blocks_per_sm_max);
  out->clockRate = attribute_of(device, cudaDevAttrClockRate);
  out->l2CacheSize = attribute_of(device, cudaDevAttrL2CacheSize);
  // Twice a clock, so many bits: the bandwidth of the profile.
  out->memoryBusWidth = 5120;
  out->memoryClockRate = static_cast<int>(device.gpu.hbm_gb_per_s * 1e9 * 8 / (2.0 * out->memoryBusWidth) / 1e3);
  out->totalConstMem = 64 * 1024;
  out->memPitch = 0x7fffffff;
  out->textureAlignment = out->surfaceAlignment = 512;
  out->texturePitchAlignment = 32;
  out->reservedSharedMemPerBlock = 1024;
  out->asyncEngineCount = 3;
  out->deviceOverlap = out->canMapHostMemory = out->ECCEnabled = out->streamPrioritiesSupported = 1;
  out->globalL1CacheSupported = out->localL1CacheSupported = out->concurrentManagedAccess = 1;
  out->computePreemptionSupported = out->canUseHostPointerForRegisteredMem = out->hostRegisterSupported = 1;
  out->memoryPoolsSupported = out->unifiedFunctionPointers = out->cooperativeMultiDeviceLaunch = 1;
  out->singleToDoublePrecisionPerfRatio = 2;
  out->concurrentKernels = out->unifiedAddressing = out->managedMemory = out->cooperativeLaunch = 1;
  out->pciBusID = device.rank + 1;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// A sticky error is not cleared by asking for it.
cudaError_t cudaGetLastError() {
  auto last = static_cast<cudaError_t>(std::exchange(world->current_host->last_error, 0));
  cudaError_t broken = state_of(current_device());
  return broken != cudaSuccess ? broken : last;
}
cudaError_t cudaPeekAtLastError() {
  cudaError_t broken = state_of(current_device());
  return broken != cudaSuccess ? broken : static_cast<cudaError_t>(world->current_host->last_error);
}
const char* cudaGetErrorName(cudaError_t error) { return name_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return name_of(error).text; }
}
