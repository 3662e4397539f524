// Device-initiated puts through the NIC beside one host collective: only the host call is a site.
// expect: device-comm push_to_next gin_put ncclGin::put
// expect: device-comm push_to_next gin_wait ncclGin::waitSignal
// expect: device-comm push_to_next gin_flush ncclGin::flush
// expect-not: device-comm push_to_next lsa_
// expect-count: 1 site s
// expect: site s1 ncclAllReduce send=flags recv=flags count=1 type=ncclInt comm=comm stream=stream op=ncclMin in-place
// expect: producer s1 push_to_next flags
// expect: launch push_to_next grid=1 block=128 shared=0 stream=stream
// expect-count: 2 buffer
// expect: convertible s1 yes
// expect-not: site s1 ncclSend
// expect-not: warning
#include <cuda_runtime.h>
#include <nccl.h>
#include <nccl_device.h>
#include <stdlib.h>

__global__ void push_to_next(ncclWindow_t window, size_t bytes, ncclDevComm comm, int* flags) {
  ncclGin gin(comm, 0);
  ncclTeam world = ncclTeamWorld(comm);
  const unsigned signal = 0;
  uint64_t before = gin.readSignal(signal);
  int next = (world.rank + 1) % world.nRanks;
  if (threadIdx.x == 0) gin.put(world, next, window, bytes, window, 0, bytes, ncclGin_SignalInc{signal});
  gin.waitSignal(ncclCoopCta(), signal, before + 1);
  gin.flush(ncclCoopCta());
  if (threadIdx.x == 0) *flags = 1;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const size_t bytes = 1 << 20;
  void* blocks;
  int* flags;
  ncclMemAlloc(&blocks, 2 * bytes);
  cudaMalloc(&flags, sizeof(int));
  ncclWindow_t window;
  ncclCommWindowRegister(comm, blocks, 2 * bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements requirements = {};
  requirements.ginSignalCount = 1;
  requirements.ginContextCount = 1;
  ncclDevComm device_comm;
  ncclDevCommCreate(comm, &requirements, &device_comm);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  push_to_next<<<1, 128, 0, stream>>>(window, bytes, device_comm, flags);
  ncclAllReduce(flags, flags, 1, ncclInt, ncclMin, comm, stream);
  cudaStreamSynchronize(stream);
}
