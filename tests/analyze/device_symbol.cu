// A __device__ array and a __constant__ table: written by symbol copies and by a kernel, reduced in place.
// expect-count: 1 buffer totals symbol
// expect: kernel tally totals:read_write weights:read
// expect: site s1 ncclAllReduce send=totals recv=totals count=kBins type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: producer s1 tally totals
// expect: consumer s1 cudaMemcpyFromSymbol totals
// expect: copy cudaMemcpyToSymbol host_to_device bytes=sizeof host
// expect: copy cudaMemcpyFromSymbol device_to_host bytes=sizeof host
// expect: staged s1 `totals` is a __device__ variable, which cannot be a window
// expect: convertible s1 yes
// expect-count: 0 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

constexpr int kBins = 256;
__device__ float totals[kBins];
__constant__ float weights[kBins];

__global__ void tally() { atomicAdd(&totals[threadIdx.x], weights[threadIdx.x] * blockIdx.x); }

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float host[kBins] = {1};
  cudaMemcpyToSymbol(weights, host, sizeof host);
  tally<<<64, kBins, 0, stream>>>();
  void* address;
  cudaGetSymbolAddress(&address, totals);
  ncclAllReduce(address, address, kBins, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyFromSymbol(host, totals, sizeof host);
}
