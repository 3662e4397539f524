// For host files of a program, which cannot include device code: the functions that a .cu file of the program defines
// by including host.cuh, or host_overlap.cuh, and by open_all() and the calls themselves, as the program wants them.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>

namespace cuco::comm_host {

ncclResult_t created(ncclResult_t result, const ncclComm_t* comms, int count = 1);
ncclResult_t created_in_group(ncclResult_t result, const ncclComm_t* comm);
ncclResult_t created(ncclResult_t result);
ncclResult_t opened(ncclResult_t result);
void open_all();
ncclResult_t destroy(ncclComm_t comm);
ncclResult_t finalize(ncclComm_t comm);
ncclResult_t allocate_bytes(void** pointer, size_t bytes);
ncclResult_t nccl_release(void* pointer);
cudaError_t release(void* pointer, cudaStream_t stream = nullptr);
ncclResult_t group_start();
ncclResult_t group_end();
// Of host_overlap.cuh.
void wait_all();
void untracked();
void fence(cudaStream_t stream);

template <typename T>
ncclResult_t nccl_allocate(T** pointer, size_t bytes) {
  return allocate_bytes((void**)pointer, bytes);
}
template <typename T>
cudaError_t allocate(T** pointer, size_t bytes, cudaStream_t = nullptr) {
  return allocate_bytes((void**)pointer, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}

}  // namespace cuco::comm_host
