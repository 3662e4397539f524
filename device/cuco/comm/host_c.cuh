// Defines what host_c.h declares, by what host.cuh defines. Of the files of a program one includes this.
#pragma once

#include <cuco/comm/host.cuh>
#include <cuco/comm/host_c.h>

extern "C" {
ncclResult_t cuco_comm_created(ncclResult_t result, const ncclComm_t* comm) {
  return cuco::comm_host::created(result, comm);
}
ncclResult_t cuco_comm_created_all(ncclResult_t result, const ncclComm_t* comms, int count) {
  return cuco::comm_host::created(result, comms, count);
}
ncclResult_t cuco_comm_created_in_group(ncclResult_t result, const ncclComm_t* comm) {
  return cuco::comm_host::created_in_group(result, comm);
}
ncclResult_t cuco_comm_group_created(ncclResult_t result) { return cuco::comm_host::created(result); }
void cuco_comm_open_all(void) { cuco::comm_host::open_all(); }
ncclResult_t cuco_comm_destroy(ncclComm_t comm) { return cuco::comm_host::destroy(comm); }
ncclResult_t cuco_comm_finalize(ncclComm_t comm) { return cuco::comm_host::finalize(comm); }
ncclResult_t cuco_comm_allocate_bytes(void** pointer, size_t bytes) {
  return cuco::comm_host::allocate_bytes(pointer, bytes);
}
ncclResult_t cuco_comm_nccl_release(void* pointer) { return cuco::comm_host::nccl_release(pointer); }
cudaError_t cuco_comm_release(void* pointer) { return cuco::comm_host::release(pointer); }
ncclResult_t cuco_comm_group_start(void) { return cuco::comm_host::group_start(); }
ncclResult_t cuco_comm_group_end(void) { return cuco::comm_host::group_end(); }
}
