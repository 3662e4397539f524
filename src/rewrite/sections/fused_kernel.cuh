
using BlockCount = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

// By one thread of a block, for all that the block did: how many blocks of `count` came here before. The last leaves the
// counter at zero for the next launch; nobody else looks at it before that.
__device__ inline unsigned blocks_before(uint32_t& counter, unsigned count) {
  __threadfence();
  unsigned before = BlockCount(counter).fetch_add(1, cuda::memory_order_acq_rel);
  if (before + 1 == count) BlockCount(counter).store(0, cuda::memory_order_relaxed);
  return before;
}

// In front of the kernel's own work: the block to be. The first block to come tells the peers where their messages go.
// Which one that is depends on nothing, so no block can wait for one that finds no room.
template <typename Path>
__device__ uint3 begin_fused(const Fusing& fusing) {
  __shared__ uint3 block;
  __shared__ bool is_first;
  if (thread_in_block() == 0) {
    block = block_in_order(fusing);
    is_first = blocks_before(fusing.counters[kFusedParts], grid_blocks()) == 0;
  }
  __syncthreads();
  if (!is_first) return block;
  Path path(fusing.here);
  for (int i = (int)thread_in_block(); i < fusing.receive_count * fusing.parts; i += (int)block_threads())
    path.announce(part_of(fusing.receives[i / fusing.parts], i % fusing.parts));
  return block;
}

template <typename Path>
__device__ void send_fused(const Fusing& fusing, int part) {
  Path path(fusing.here);
  for (int i = 0; i < fusing.send_count; i++) send_part(path, fusing, fusing.sends[i], part);
}

// By the last block: what peers sent is here when the kernel ends, and what this rank sent may be written again.
template <typename Path>
__device__ void await_fused(const Fusing& fusing) {
  Path path(fusing.here);
  for (int part = 0; part < fusing.parts; part++)
    for (int i = 0; i < fusing.relay_count; i++) {
      if (thread_in_block() == 0) path.await(part_of(fusing.receives[fusing.relays[i].receive], part));
      __syncthreads();
      send_part(path, fusing, fusing.relays[i].send, part);
    }
  for (int i = (int)thread_in_block(); i < fusing.receive_count * fusing.parts; i += (int)block_threads())
    path.await(part_of(fusing.receives[i / fusing.parts], i % fusing.parts));
  if (thread_in_block() == 0) end_path(path);
}

// By one thread: the part that is complete with this block, or none.
constexpr int kNoPart = -1;
__device__ inline int completed_part(const Fusing& fusing, const uint3& block) {
  unsigned unit = fusing.dimension == 0 ? block.x : fusing.dimension == 1 ? block.y : block.z;
  int part = 0;
  while (fusing.cuts[part + 1] <= unit) part++;
  unsigned count = (fusing.cuts[part + 1] - fusing.cuts[part]) * (grid_blocks() / fusing.units);
  return blocks_before(fusing.counters[part], count) + 1 == count ? part : kNoPart;
}

// Behind the kernel's own work, by all threads of every block.
template <typename Path>
__device__ void end_fused(const Fusing& fusing, const uint3& block) {
  __shared__ int part;
  __shared__ bool is_last;
  __syncthreads();
  if (thread_in_block() == 0) part = completed_part(fusing, block);
  __syncthreads();
  if (part != kNoPart) send_fused<Path>(fusing, part);
  __syncthreads();
  if (thread_in_block() == 0)
    is_last = blocks_before(fusing.counters[kFusedParts + 1], grid_blocks()) + 1 == grid_blocks();
  __syncthreads();
  if (!is_last) return;
  // Parts without a unit have nothing to send but their signal.
  for (int empty = 0; empty < fusing.parts; empty++)
    if (fusing.cuts[empty] == fusing.cuts[empty + 1]) send_fused<Path>(fusing, empty);
  await_fused<Path>(fusing);
}
