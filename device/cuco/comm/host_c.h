/* The functions of the library that files of a program without device code call, for C and C++. */
#ifndef CUCO_COMM_HOST_C_H
#define CUCO_COMM_HOST_C_H

#include <cuda_runtime.h>
#include <nccl.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

ncclResult_t cuco_comm_created(ncclResult_t result, const ncclComm_t* comm);
ncclResult_t cuco_comm_created_all(ncclResult_t result, const ncclComm_t* comms, int count);
ncclResult_t cuco_comm_created_in_group(ncclResult_t result, const ncclComm_t* comm);
ncclResult_t cuco_comm_group_created(ncclResult_t result);
ncclResult_t cuco_comm_opened(ncclResult_t result);
void cuco_comm_open_all(void);
ncclResult_t cuco_comm_destroy(ncclComm_t comm);
ncclResult_t cuco_comm_finalize(ncclComm_t comm);
ncclResult_t cuco_comm_allocate_bytes(void** pointer, size_t bytes);
ncclResult_t cuco_comm_nccl_release(void* pointer);
cudaError_t cuco_comm_release(void* pointer);
ncclResult_t cuco_comm_group_start(void);
ncclResult_t cuco_comm_group_end(void);

#ifdef __cplusplus
}
#endif

#define cuco_comm_nccl_allocate(pointer, bytes) cuco_comm_allocate_bytes((void**)(pointer), bytes)
#define cuco_comm_allocate(pointer, bytes) \
  (cuco_comm_allocate_bytes((void**)(pointer), bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation)

#endif
