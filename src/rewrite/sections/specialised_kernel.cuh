
// Kernels of which some blocks communicate and the others compute. The first blocks to begin communicate. The others
// take the tiles of the program's grid in the order of the parts, count them done, and wait for nobody: once one of
// them has room beside those that communicate all tiles come to be done, whatever else is on the device.

// By all threads of a block: how many blocks began before it.
__device__ inline unsigned begin_specialised(const Specialised& fusing) {
  __shared__ unsigned place;
  if (thread_in_block() == 0) place = BlockCount(fusing.counters->come).fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  return place;
}

// By one thread, when its block is done. Nobody looks at the counters after the last.
__device__ inline void leave(const Specialised& fusing) {
  if (is_last_of(fusing.counters->left, fusing.blocks)) *fusing.counters = {};
}

__device__ inline unsigned tile_count(const Specialised& fusing) {
  return fusing.grid.x * fusing.grid.y * fusing.grid.z;
}
__device__ inline unsigned tiles_in(const Specialised& fusing, int part) {
  return (fusing.cuts[part + 1] - fusing.cuts[part]) * (tile_count(fusing) / fusing.units);
}

struct Tile {
  uint3 block;  // Of the program's grid.
  bool is_taken;
};
// By one thread: what its block wrote of the tile may be sent.
__device__ inline void count_written(const Specialised& fusing, const Tile& tile) {
  __threadfence_system();
  BlockCount(fusing.counters->written[part_with(fusing, tile.block)]).fetch_add(1, cuda::memory_order_release);
}
// By all threads of a block that computes, which is done with the tile that it has: the next, as long as there is one.
__device__ inline bool take_tile(const Specialised& fusing, Tile& tile) {
  __shared__ Tile next;
  __syncthreads();
  if (thread_in_block() == 0) {
    if (tile.is_taken) count_written(fusing, tile);
    unsigned number = BlockCount(fusing.counters->dealt).fetch_add(1, cuda::memory_order_relaxed);
    next.is_taken = number < tile_count(fusing);
    if (next.is_taken)
      next.block = block_in_order(fusing, fusing.grid, number);
    else
      leave(fusing);
  }
  __syncthreads();
  tile = next;
  return tile.is_taken;
}

__device__ inline bool is_written(const Specialised& fusing, int part) {
  return BlockCount(fusing.counters->written[part]).load(cuda::memory_order_acquire) == tiles_in(fusing, part);
}
// By all threads of a block.
template <typename Path>
__device__ void await_part(const Path&, const Specialised& fusing, int part) {
  if (thread_in_block() == 0)
    while (!is_written(fusing, part)) {
    }
  __syncthreads();
}

// By all threads of a block that communicates: its share of a part to near peers. The last of these blocks lets them
// know.
template <typename Path>
__device__ void store_share(const Path& path, const Specialised& fusing, int part, unsigned place) {
  __shared__ Targets targets;
  const bool leads = thread_in_block() == 0;
  if (leads) find_targets(path, fusing, part, targets);
  __syncthreads();
  store(targets, share_of(runs_of(fusing, part, fusing.sends[0].bytes), place, fusing.communicators));
  if (leads && is_last_of(fusing.counters->stored[part], fusing.communicators)) send_to(true, path, fusing, part);
}

// By all threads of a block, of all blocks that communicate one: the peers may send.
template <typename Path>
__device__ void announce_all(const Path& path, const Fusing& fusing) {
  for (int i = (int)thread_in_block(); i < fusing.receive_count * fusing.parts; i += (int)block_threads())
    path.announce(part_of(fusing.receives[i / fusing.parts], i % fusing.parts));
}
template <typename Path>
__device__ void await_share(const Path& path, const Specialised& fusing, unsigned place) {
  const unsigned count = fusing.receive_count * fusing.parts;
  for (unsigned i = place * block_threads() + thread_in_block(); i < count; i += fusing.communicators * block_threads())
    path.await(part_of(fusing.receives[i / fusing.parts], i % fusing.parts));
}

// By all threads of the blocks that communicate. What goes over the network leaves first: it is longer on its way. What
// peers sent is here when the kernel ends, and what this rank sent may be written again.
template <typename Path>
__device__ void communicate(const Specialised& fusing, unsigned place) {
  const bool leads = thread_in_block() == 0;
  Path path(fusing.here);
  if (place == 0) announce_all(path, fusing);
  for (int part = 0; part < fusing.parts; part++) {
    await_part(path, fusing, part);
    if (kFar<Path> && leads && part % fusing.communicators == place) post_part(path, fusing, part);
    if (kNear<Path>) store_share(path, fusing, part, place);
    __syncthreads();
  }
  pass_on(path, fusing, true);
  await_share(path, fusing, place);
  __syncthreads();
  if (!leads) return;
  end_path(path);
  leave(fusing);
}
