// Defines what host_c.h declares and host_calls.h calls. Of the files of a program one includes this.
#pragma once

#include <cuco/comm/host_calls.h>

#include <cuco/comm/collectives.cuh>

extern "C" {
ncclResult_t cuco_comm_created(ncclResult_t result, const ncclComm_t* comm) {
  return cuco::comm::created(result, comm);
}
ncclResult_t cuco_comm_created_all(ncclResult_t result, const ncclComm_t* comms, int count) {
  return cuco::comm::created(result, comms, count);
}
ncclResult_t cuco_comm_created_in_group(ncclResult_t result, const ncclComm_t* comm) {
  return cuco::comm::created_in_group(result, comm);
}
ncclResult_t cuco_comm_group_created(ncclResult_t result) { return cuco::comm::created(result); }
void cuco_comm_open_all(void) { cuco::comm_host::open_all(); }
ncclResult_t cuco_comm_destroy(ncclComm_t comm) { return cuco::comm::destroy(comm); }
ncclResult_t cuco_comm_finalize(ncclComm_t comm) { return cuco::comm::finalize(comm); }
ncclResult_t cuco_comm_allocate_bytes(void** pointer, size_t bytes) {
  return cuco::comm::nccl_allocate(pointer, bytes);
}
ncclResult_t cuco_comm_nccl_release(void* pointer) { return cuco::comm::nccl_release(pointer); }
cudaError_t cuco_comm_release(void* pointer) { return cuco::comm::release(pointer); }
ncclResult_t cuco_comm_group_start(void) { return cuco::comm::group_start(); }
ncclResult_t cuco_comm_group_end(void) { return cuco::comm::group_end(); }
}
