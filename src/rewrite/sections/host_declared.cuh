#include <cuda_runtime.h>
#include <nccl.h>

// Device communication for this host file; CUCO_DEVICE_FILE defines it.
namespace device_comm_calls {

ncclResult_t created(ncclResult_t result, const ncclComm_t* comm);
void open_all();
ncclResult_t destroy(ncclComm_t comm);
ncclResult_t finalize(ncclComm_t comm);
ncclResult_t allocate_bytes(void** pointer, size_t bytes);
ncclResult_t nccl_release(void* pointer);
cudaError_t release(void* pointer, cudaStream_t stream = nullptr);

template <typename T>
ncclResult_t nccl_allocate(T** pointer, size_t bytes) {
  return allocate_bytes((void**)pointer, bytes);
}
template <typename T>
cudaError_t allocate(T** pointer, size_t bytes, cudaStream_t = nullptr) {
  return allocate_bytes((void**)pointer, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}
