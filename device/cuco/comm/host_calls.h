// For host files of a program, which cannot include device code: the functions of the library, which a .cu file of the
// program defines by including host.cuh, or host_overlap.cuh, and by open_all() and the calls themselves, as the
// program wants them.
#pragma once

#include <cuco/comm/host_c.h>

namespace cuco::comm_host {

inline ncclResult_t created(ncclResult_t result, const ncclComm_t* comms, int count = 1) {
  return cuco_comm_created_all(result, comms, count);
}
inline ncclResult_t created_in_group(ncclResult_t result, const ncclComm_t* comm) {
  return cuco_comm_created_in_group(result, comm);
}
inline ncclResult_t created(ncclResult_t result) { return cuco_comm_group_created(result); }
ncclResult_t opened(ncclResult_t result);
void open_all();
inline ncclResult_t destroy(ncclComm_t comm) { return cuco_comm_destroy(comm); }
inline ncclResult_t finalize(ncclComm_t comm) { return cuco_comm_finalize(comm); }
inline ncclResult_t nccl_release(void* pointer) { return cuco_comm_nccl_release(pointer); }
inline cudaError_t release(void* pointer, cudaStream_t = nullptr) { return cuco_comm_release(pointer); }
inline ncclResult_t group_start() { return cuco_comm_group_start(); }
inline ncclResult_t group_end() { return cuco_comm_group_end(); }
// Of host_overlap.cuh.
void wait_all();
void untracked();
void fence(cudaStream_t stream);

template <typename T>
ncclResult_t nccl_allocate(T** pointer, size_t bytes) {
  return cuco_comm_nccl_allocate(pointer, bytes);
}
template <typename T>
cudaError_t allocate(T** pointer, size_t bytes, cudaStream_t = nullptr) {
  return cuco_comm_allocate(pointer, bytes);
}

}  // namespace cuco::comm_host
