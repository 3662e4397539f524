// The functions of CUDA and NCCL that the executable puts before those of the libraries: launches are noted, and a run
// that leaves out communication or kernels does so here, inside the region only, so that a program still initialises.
// Of a program without the harness, who makes a communicator and what is copied to the host is noted too.
// Needs a CUDA runtime that is linked as a shared library. Kernels that libraries launch are not seen. A part of the
// runner in a file of its own, since nvcc's headers define some of these names for kernels.
#if __has_include(<nccl.h>)
#include <nccl.h>
#define CUCO_RUNNER_HAS_NCCL 1
#endif

#include "cuco/runner/launches.h"
#include "cuco/runner/next_function.h"
#include "cuco/runner/plain.h"

namespace cuco::runner {

namespace {

bool leaves_out(LeftOut what) { return settings().left_out == what && open_regions().load() > 0; }

bool launch_is_left_out(cudaStream_t stream, const void* kernel) {
  launches().note(stream, kernel);
  return leaves_out(LeftOut::Kernels);
}

void note_communicator(int rank, int rank_count) {
  int device = 0;
  cudaGetDevice(&device);
  membership().rank = rank;
  membership().rank_count = rank_count;
  membership().devices.push_back(device);
}

void note_communicators(int count, const int* devices) {
  for (int i = 0; i < count; i++) membership().devices.push_back(devices ? devices[i] : i);
}

#ifdef CUCO_RUNNER_HAS_NCCL
// What ncclCommInitAll does, which refuses a device that it meets twice.
ncclResult_t init_all_on_one_device(ncclComm_t* comms, int count, const int* devices) {
  static const auto init = next_function<decltype(&ncclCommInitRank)>("ncclCommInitRank");
  ncclUniqueId id;
  ncclResult_t result = ncclGetUniqueId(&id);
  if (result != ncclSuccess) return result;
  int current = 0;
  cudaGetDevice(&current);
  ncclGroupStart();
  for (int i = 0; i < count; i++) {
    cudaSetDevice(devices ? devices[i] : i);
    if (ncclResult_t made = init(&comms[i], count, id, i); made != ncclSuccess) result = made;
  }
  ncclResult_t ended = ncclGroupEnd();
  cudaSetDevice(current);
  return result == ncclSuccess ? ended : result;
}
#endif

bool communication_is_left_out() { return leaves_out(LeftOut::Communication); }

bool is_to_host(const void* to, const void* from, cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || (kind == cudaMemcpyDefault && is_on_device(from) && !is_on_device(to));
}

// A copy in a stream that is being captured happens later, if ever.
void note_copy(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (bytes > 0 && wants_copies() && is_to_host(to, from, kind)) on_copied_to_host(to, bytes);
}
void note_copy_in(cudaStream_t stream, const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0 || !wants_copies() || !is_to_host(to, from, kind)) return;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone) return;
  if (cudaStreamSynchronize(stream) == cudaSuccess) on_copied_to_host(to, bytes);
}

using LaunchKernel = cudaError_t (*)(const void*, dim3, dim3, void**, size_t, cudaStream_t);

}  // namespace

}  // namespace cuco::runner

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<cuco::runner::LaunchKernel>("cudaLaunchKernel");
  if (cuco::runner::launch_is_left_out(stream, kernel)) return cudaSuccess;
  return next(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<cuco::runner::LaunchKernel>("cudaLaunchCooperativeKernel");
  if (cuco::runner::launch_is_left_out(stream, kernel)) return cudaSuccess;
  return next(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  using Function = cudaError_t (*)(const cudaLaunchConfig_t*, const void*, void**);
  static const auto next = cuco::runner::next_function<Function>("cudaLaunchKernelExC");
  if (cuco::runner::launch_is_left_out(config->stream, kernel)) return cudaSuccess;
  return next(config, kernel, arguments);
}

#if CUDART_VERSION >= 13000
// What <<<>>> becomes since CUDA 13.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  using Function = cudaError_t (*)(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
  static const auto next = cuco::runner::next_function<Function>("__cudaLaunchKernel");
  if (cuco::runner::launch_is_left_out(stream, kernel)) return cudaSuccess;
  return next(kernel, grid, block, arguments, shared_bytes, stream);
}
#endif

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<cudaError_t (*)(cudaStream_t)>("cudaStreamDestroy");
  cuco::runner::launches().forget(stream);
  return next(stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  static const auto next = cuco::runner::next_function<decltype(&cudaMemcpy)>("cudaMemcpy");
  cudaError_t result = next(to, from, bytes, kind);
  if (result == cudaSuccess) cuco::runner::note_copy(to, from, bytes, kind);
  return result;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  using Function = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
  static const auto next = cuco::runner::next_function<Function>("cudaMemcpyAsync");
  cudaError_t result = next(to, from, bytes, kind, stream);
  if (result == cudaSuccess) cuco::runner::note_copy_in(stream, to, from, bytes, kind);
  return result;
}

#ifdef CUCO_RUNNER_HAS_NCCL

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int rank_count, ncclUniqueId id, int rank) {
  static const auto next = cuco::runner::next_function<decltype(&ncclCommInitRank)>("ncclCommInitRank");
  cuco::runner::note_communicator(rank, rank_count);
  return next(comm, rank_count, id, rank);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  static const auto next = cuco::runner::next_function<decltype(&ncclCommInitAll)>("ncclCommInitAll");
  cuco::runner::note_communicators(count, devices);
  if (cuco::runner::settings().devices > 0) return cuco::runner::init_all_on_one_device(comms, count, devices);
  return next(comms, count, devices);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int rank_count, ncclUniqueId id, int rank, ncclConfig_t* config) {
  static const auto next = cuco::runner::next_function<decltype(&ncclCommInitRankConfig)>("ncclCommInitRankConfig");
  cuco::runner::note_communicator(rank, rank_count);
  return next(comm, rank_count, id, rank, config);
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t comm, cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclAllReduce)>("ncclAllReduce");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, operation, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                               ncclComm_t comm, cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclReduceScatter)>("ncclReduceScatter");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, operation, comm, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclAllGather)>("ncclAllGather");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, comm, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclBroadcast)>("ncclBroadcast");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, root, comm, stream);
}

ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclBcast)>("ncclBcast");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(buffer, count, type, root, comm, stream);
}

ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclReduce)>("ncclReduce");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, operation, root, comm, stream);
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclSend)>("ncclSend");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, count, type, peer, comm, stream);
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclRecv)>("ncclRecv");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(to, count, type, peer, comm, stream);
}

ncclResult_t ncclGroupStart() {
  static const auto next = cuco::runner::next_function<decltype(&ncclGroupStart)>("ncclGroupStart");
  return cuco::runner::communication_is_left_out() ? ncclSuccess : next();
}

ncclResult_t ncclGroupEnd() {
  static const auto next = cuco::runner::next_function<decltype(&ncclGroupEnd)>("ncclGroupEnd");
  return cuco::runner::communication_is_left_out() ? ncclSuccess : next();
}

#if NCCL_VERSION_CODE >= 22803
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclAlltoAll)>("ncclAlltoAll");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, comm, stream);
}

ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclGather)>("ncclGather");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, root, comm, stream);
}

ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  static const auto next = cuco::runner::next_function<decltype(&ncclScatter)>("ncclScatter");
  if (cuco::runner::communication_is_left_out()) return ncclSuccess;
  return next(from, to, count, type, root, comm, stream);
}
#endif

#endif
}
