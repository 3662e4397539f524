
using BlockCount = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

// By all threads of a block: whether it is number `number` of the launch to get here. The last of `count` leaves the
// counter at zero for the next launch; nobody else looks at it before that.
__device__ inline bool arrives_as(uint32_t& counter, unsigned number, unsigned count) {
  __shared__ unsigned arrived;
  __syncthreads();
  if (thread_in_block() == 0) {
    __threadfence();
    arrived = BlockCount(counter).fetch_add(1, cuda::memory_order_acq_rel);
    if (arrived + 1 == count) BlockCount(counter).store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  return arrived == number;
}

// In front of the kernel's own work. The first block to come tells the peers where their messages go. Which one that is
// depends on nothing, so no block can wait for one that finds no room.
template <typename Path>
__device__ void begin_fused(const Fusing& fusing) {
  if (!arrives_as(fusing.counters[kFusedParts], 0, grid_blocks())) return;
  Path path(fusing.here);
  for (int i = (int)thread_in_block(); i < fusing.work.receive_count * fusing.parts; i += (int)block_threads())
    path.announce(part_of(fusing.work.receives.few[i / fusing.parts], i % fusing.parts));
}

template <typename Path>
__device__ void send_fused(const Path& path, const Fusing& fusing, int part) {
  for (int i = 0; i < fusing.work.send_count; i++) send_part(path, fusing, fusing.work.sends.few[i], part);
  for (int i = 0; i < fusing.work.copy_count; i++) {
    const Copy& copy = fusing.work.copies[i];
    copy_runs(copy.to, copy.from, runs_of(fusing, part, copy.bytes));
  }
}

// By the last block: what peers sent is here when the kernel ends, and what this rank sent may be written again.
template <typename Path>
__device__ void await_fused(const Path& path, const Fusing& fusing) {
  for (int part = 0; part < fusing.parts; part++)
    for (int i = 0; i < fusing.relay_count; i++) {
      if (thread_in_block() == 0) path.await(part_of(fusing.work.receives.few[fusing.relays[i].receive], part));
      __syncthreads();
      send_part(path, fusing, fusing.relays[i].send, part);
    }
  for (int i = (int)thread_in_block(); i < fusing.work.receive_count * fusing.parts; i += (int)block_threads())
    path.await(part_of(fusing.work.receives.few[i / fusing.parts], i % fusing.parts));
  if (thread_in_block() == 0) end_path(path);
  __syncthreads();
}

// Behind the kernel's own work, by all threads of every block.
template <typename Path>
__device__ void end_fused(const Fusing& fusing, const uint3& block) {
  Path path(fusing.here);
  unsigned unit = fusing.dimension == 0 ? block.x : fusing.dimension == 1 ? block.y : block.z;
  int part = 0;
  while (fusing.cuts[part + 1] <= unit) part++;
  unsigned count = (fusing.cuts[part + 1] - fusing.cuts[part]) * (grid_blocks() / fusing.units);
  if (arrives_as(fusing.counters[part], count - 1, count)) send_fused(path, fusing, part);
  if (!arrives_as(fusing.counters[kFusedParts + 1], grid_blocks() - 1, grid_blocks())) return;
  // Parts without a unit have nothing to send but their signal.
  for (part = 0; part < fusing.parts; part++)
    if (fusing.cuts[part] == fusing.cuts[part + 1]) send_fused(path, fusing, part);
  await_fused(path, fusing);
}
