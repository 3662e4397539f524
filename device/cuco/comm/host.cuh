// Defines what host_calls.h declares. Of the files of a program one includes this.
#pragma once

#include <cuco/comm/collectives.cuh>
#include <cuco/comm/host_calls.h>

namespace cuco::comm_host {

ncclResult_t created(ncclResult_t result, const ncclComm_t* comms, int count) {
  return ::cuco::comm::created(result, comms, count);
}
ncclResult_t created_in_group(ncclResult_t result, const ncclComm_t* comm) {
  return ::cuco::comm::created_in_group(result, comm);
}
ncclResult_t created(ncclResult_t result) { return ::cuco::comm::created(result); }
ncclResult_t destroy(ncclComm_t comm) { return ::cuco::comm::destroy(comm); }
ncclResult_t finalize(ncclComm_t comm) { return ::cuco::comm::finalize(comm); }
ncclResult_t allocate_bytes(void** pointer, size_t bytes) { return ::cuco::comm::nccl_allocate(pointer, bytes); }
ncclResult_t nccl_release(void* pointer) { return ::cuco::comm::nccl_release(pointer); }
cudaError_t release(void* pointer, cudaStream_t stream) { return ::cuco::comm::release(pointer, stream); }
ncclResult_t group_start() { return ::cuco::comm::group_start(); }
ncclResult_t group_end() { return ::cuco::comm::group_end(); }

}  // namespace cuco::comm_host
