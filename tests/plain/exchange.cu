// Every rank gathers what all have scaled, and adds it up. No harness: the region lies between two events.
// EXCHANGE says how the ranks gather:
//   0  ncclAllGather
//   1  stores to peers, between two barriers
//   2  stores to peers and a barrier behind them: a peer may still read what came in the call before
//   3  stores to peers and flags that count the calls, behind a barrier
//   4  the same with flags that are one in every call: from the second on nobody waits
//   5  the same with a flag for each of 30 calls, which counts how often it was used, behind a barrier
//   6  the same with flags that are one: from the 31st call on nobody waits
// ROUNDS is how often the program calls its region itself, IN_REGION a further statement of the region.
#define EXCHANGE 0
#include <cuda_runtime.h>
#include <nccl_device.h>

#include <cstdint>
#include <vector>

#include "ranks.h"

using Flag = cuda::atomic_ref<uint64_t, cuda::thread_scope_system>;

__device__ Flag flag_of(ncclWindow_t window, size_t at, int owner) {
  return Flag(*static_cast<uint64_t*>(ncclGetLsaPointer(window, at, owner)));
}

__device__ void announce(ncclDevComm comm, ncclWindow_t window, size_t at, uint64_t call) {
  __syncthreads();
  if (threadIdx.x < comm.nRanks) {
    int peer = threadIdx.x;
    flag_of(window, at + 8 * comm.rank, peer).store(call, cuda::memory_order_release);
    while (flag_of(window, at + 8 * peer, comm.rank).load(cuda::memory_order_acquire) < call) continue;
  }
  __syncthreads();
}

__global__ void gather(ncclDevComm comm, ncclWindow_t window, const float* part, int n, uint64_t call) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  if (EXCHANGE != 2) barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  for (int peer = 0; peer < comm.nRanks; peer++) {
    auto* target = static_cast<float*>(ncclGetLsaPointer(window, 0, peer));
    for (int i = threadIdx.x; i < n; i += blockDim.x) target[comm.rank * n + i] = part[i];
  }
  if (EXCHANGE < 3) barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  size_t flags = sizeof(float) * n * comm.nRanks, slot = EXCHANGE >= 5 ? call % 30 : 0;
  if (EXCHANGE == 5) call = call / 30 + 1;
  if (EXCHANGE >= 3) announce(comm, window, flags + 8 * comm.nRanks * slot, EXCHANGE % 2 == 0 ? 1 : call);
}

__global__ void scale(const float* values, float* part, int n, int rank) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) part[i] = (rank + 2) * values[i];
}

__global__ void add_up(const float* gathered, float* sums, int n, int ranks) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sums[i] = 0;
    for (int rank = 0; rank < ranks; rank++) sums[i] += (rank + 1) * gathered[rank * n + i];
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int n = 64;
  float *values = allocate<float>(n), *part = allocate<float>(n), *sums = allocate<float>(n), *gathered = nullptr;
  const size_t bytes = (sizeof(float) * n + 30 * 8) * ranks.count;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&gathered), bytes));
  CHECK(cudaMemset(gathered, 0, bytes));
#if EXCHANGE > 0
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(ranks.comm, gathered, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm device_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &device_comm));
#endif
  std::vector<float> ones(n, 1.0f), results(n);
  CHECK(cudaMemcpy(values, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t call = 0;
  for (int round = 0; round < ROUNDS; round++) {
    CHECK(cudaEventRecord(start, ranks.stream));
    IN_REGION;
    call++;
    scale<<<1, n, 0, ranks.stream>>>(values, part, n, ranks.rank);
#if EXCHANGE > 0
    gather<<<1, n, 0, ranks.stream>>>(device_comm, window, part, n, call);
#else
    CHECK(ncclAllGather(part, gathered, n, ncclFloat, ranks.comm, ranks.stream));
#endif
    add_up<<<1, n, 0, ranks.stream>>>(gathered, sums, n, ranks.count);
    CHECK(cudaEventRecord(stop, ranks.stream));
  }
  CHECK(cudaStreamSynchronize(ranks.stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(results.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
#if EXCHANGE > 0
  CHECK(ncclDevCommDestroy(ranks.comm, &device_comm));
  CHECK(ncclCommWindowDeregister(ranks.comm, window));
#endif
  CHECK(ncclMemFree(gathered));
  for (float* memory : {values, part, sums}) CHECK(cudaFree(memory));
}
