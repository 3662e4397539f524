// To the next rank, by counters instead of barriers: [0] messages that have come, [1] messages that the next rank has
// read. They only grow, so no round can match another's; `round` counts from 1. One block.
__global__ void pass_on(ncclDevComm comm, ncclWindow_t inbox, ncclWindow_t counters, const float* mine, float* sum,
                        size_t count, uint32_t round) {
  using Counter = cuda::atomic_ref<uint32_t, cuda::thread_scope_system>;
  int next = (comm.lsaRank + 1) % comm.lsaSize, before = (comm.lsaRank + comm.lsaSize - 1) % comm.lsaSize;
  uint32_t* own = (uint32_t*)ncclGetLocalPointer(counters, 0);
  if (threadIdx.x == 0)
    while (Counter(own[1]).load(cuda::memory_order_acquire) < round - 1) {
    }
  __syncthreads();
  float* there = (float*)ncclGetLsaPointer(inbox, 0, next);
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) there[i] = mine[i];
  __threadfence_system();  // By every thread that stored,
  __syncthreads();         // before one of them tells.
  if (threadIdx.x == 0) {
    Counter(*(uint32_t*)ncclGetLsaPointer(counters, 0, next)).store(round, cuda::memory_order_release);
    while (Counter(own[0]).load(cuda::memory_order_acquire) < round) {
    }
  }
  __syncthreads();
  const float* here = (const float*)ncclGetLocalPointer(inbox, 0);
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) sum[i] += here[i];
  __syncthreads();
  if (threadIdx.x == 0)
    Counter(*(uint32_t*)ncclGetLsaPointer(counters, 4, before)).store(round, cuda::memory_order_release);
}
