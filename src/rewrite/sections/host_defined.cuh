
// What the host files of this program call.
namespace device_comm_calls {

ncclResult_t created(ncclResult_t result, const ncclComm_t* comm) { return device_comm::created(result, comm); }
void open_all() { device_comm::open_all(); }
ncclResult_t destroy(ncclComm_t comm) { return device_comm::destroy(comm); }
ncclResult_t finalize(ncclComm_t comm) { return device_comm::finalize(comm); }
ncclResult_t allocate_bytes(void** pointer, size_t bytes) { return device_comm::nccl_allocate(pointer, bytes); }
ncclResult_t nccl_release(void* pointer) { return device_comm::nccl_release(pointer); }
cudaError_t release(void* pointer, cudaStream_t stream) { return device_comm::release(pointer, stream); }
