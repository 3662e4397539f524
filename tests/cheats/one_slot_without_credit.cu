// expect: verified window_race
// The only slot is filled again while the peer may still read it.
//--- kernels
struct Peers {
  float* staging = nullptr;
  unsigned* flags = nullptr;
  ncclWindow_t window = nullptr, flag_window = nullptr;
  ncclDevComm dev_comm = {};
  unsigned calls = 0;
} peers;

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
constexpr unsigned kSlots = 8;  // Each has a flag for "it is there" and one for "it is free again".

__global__ void exchange(ncclDevComm dev_comm, ncclWindow_t window, ncclWindow_t flags, const float* input,
                         float* gathered, int count, unsigned call) {
  int rank = dev_comm.rank, peer = 1 - rank;
  unsigned slot = 0;
  unsigned* there = static_cast<unsigned*>(ncclGetLsaPointer(flags, 0, peer));
  unsigned* here = static_cast<unsigned*>(ncclGetLocalPointer(flags, 0));
  float* theirs = static_cast<float*>(ncclGetLsaPointer(window, 0, peer)) + slot * count;
  const float* mine = static_cast<const float*>(ncclGetLocalPointer(window, 0)) + slot * count;
  for (int i = threadIdx.x; i < count; i += blockDim.x) theirs[i] = gathered[rank * count + i] = 2.0f * input[i] + 1.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    Flag(there[slot]).store(call + 1, cuda::memory_order_release);
    while (Flag(here[slot]).load(cuda::memory_order_acquire) != call + 1) {
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) gathered[peer * count + i] = mine[i];
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
if (!peers.staging) {
  size_t bytes = kSlots * job.count * sizeof(float), flag_bytes = 2 * kSlots * sizeof(unsigned);
  ncclMemAlloc(reinterpret_cast<void**>(&peers.staging), bytes);
  ncclMemAlloc(reinterpret_cast<void**>(&peers.flags), flag_bytes);
  cudaMemset(peers.flags, 0, flag_bytes);
  cudaDeviceSynchronize();
  ncclCommWindowRegister(job.comm, peers.staging, bytes, &peers.window, NCCL_WIN_COLL_SYMMETRIC);
  ncclCommWindowRegister(job.comm, peers.flags, flag_bytes, &peers.flag_window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements needs = {};
  ncclDevCommCreate(job.comm, &needs, &peers.dev_comm);
}
exchange<<<1, 128, 0, job.stream>>>(peers.dev_comm, peers.window, peers.flag_window, job.input, job.gathered, job.count,
                                    peers.calls++);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
