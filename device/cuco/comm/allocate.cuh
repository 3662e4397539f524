// Buffers that are communicated, in place of the program's own calls. Apart from the library's own memory, so that a
// run can tell by the place which allocations are the program's.
#pragma once

#include <cuco/comm/communicator.cuh>

namespace cuco::comm {

// In place of ncclMemAlloc, and below of cudaMalloc and cudaMallocAsync, for buffers that are communicated.
template <typename T>
ncclResult_t nccl_allocate(T** pointer, size_t bytes) {
  void* memory = nullptr;
  ncclResult_t result = ncclMemAlloc(&memory, window_bytes(bytes));
  if (result != ncclSuccess) return result;
  std::lock_guard<std::mutex> lock(state().mutex);
  state().allocations.push_back({current_device(), (char*)memory, bytes, std::this_thread::get_id()});
  *pointer = (T*)memory;
  return ncclSuccess;
}
template <typename T>
cudaError_t allocate(T** pointer, size_t bytes, cudaStream_t = nullptr) {
  return nccl_allocate(pointer, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}

}  // namespace cuco::comm
