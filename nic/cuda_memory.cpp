#include "nic/cuda_memory.h"

#include "nic/cuda_check.h"

namespace cuco::nic {
namespace {

Error map_error(const char* what, CUresult code, CUdeviceptr address, uint64_t bytes) {
  if (address) cuMemAddressFree(address, bytes);
  return cuda_error(what, code);
}

}  // namespace

Result<Exported> export_allocation(CUdeviceptr address, size_t bytes) {
  CUdeviceptr base = 0;
  size_t mapping_bytes = 0;
  if (const CUresult code = cuMemGetAddressRange(&base, &mapping_bytes, address))
    return cuda_error("finding the allocation of a window", code);
  if (address + bytes > base + mapping_bytes)
    return Error{"it spans several allocations; register windows inside one allocation"};
  CUmemGenericAllocationHandle handle = 0;
  if (const CUresult code = cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(base)))
    return cuda_error("it was not allocated with ncclMemAlloc or cuMemCreate", code);
  int file = -1;
  const CUresult code = cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  cuMemRelease(handle);
  if (code) return cuda_error("it was not made to be shared", code);
  return Exported{file, mapping_bytes, address - base};
}

Result<void*> import_allocation(int file, uint64_t mapping_bytes, CUdevice device) {
  CUmemGenericAllocationHandle handle = 0;
  void* shared = reinterpret_cast<void*>(static_cast<uintptr_t>(file));
  if (const CUresult code = cuMemImportFromShareableHandle(&handle, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
    return cuda_error("importing a peer's window", code);
  CUdeviceptr address = 0;
  CUresult code = cuMemAddressReserve(&address, mapping_bytes, 0, 0, 0);
  if (!code) code = cuMemMap(address, mapping_bytes, 0, handle, 0);
  // The mapping keeps the memory; the handle is not needed any longer.
  cuMemRelease(handle);
  if (code) return map_error("mapping a peer's window", code, address, mapping_bytes);
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  code = cuMemSetAccess(address, mapping_bytes, &access, 1);
  if (!code) return reinterpret_cast<void*>(address);
  cuMemUnmap(address, mapping_bytes);
  return map_error("opening a peer's window", code, address, mapping_bytes);
}

void release_allocation(CUdeviceptr address, uint64_t mapping_bytes) {
  cuMemUnmap(address, mapping_bytes);
  cuMemAddressFree(address, mapping_bytes);
}

}  // namespace cuco::nic
