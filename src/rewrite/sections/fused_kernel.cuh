
// By one thread of a block, before it waits for anything: the first block to be done with its own work tells the peers
// where their messages go. Which one that is depends on nothing, so no block can wait for one that finds no room.
template <typename Path>
__device__ void announce_first(const Path& path, const Fusing& fusing) {
  if (BlockCount(fusing.counters->come).fetch_add(1, cuda::memory_order_relaxed) != 0) return;
  for (int part = 0; part < fusing.parts; part++)
    for (int i = 0; i < fusing.receive_count; i++) path.announce(part_of(fusing.receives[i], part));
}

// By one thread: a part to the peers that are near, which have its bytes, or to those that are not.
template <typename Path>
__device__ void send_to(bool near, const Path& path, const Fusing& fusing, int part) {
  for (int i = 0; i < fusing.send_count; i++)
    if (is_near(path, fusing.sends[i]) == near) send_part(path, fusing, fusing.sends[i], part);
}
template <typename Path>
__device__ void find_targets(const Path& path, const Fusing& fusing, int part, Targets& targets) {
  targets.count = 0;
  for (int i = 0; i < fusing.send_count; i++)
    if (is_near(path, fusing.sends[i])) add_target(path, fusing.sends[i], part, targets);
}

// By the block that completed the last part. What peers sent is here when the kernel ends, and what this rank sent may be
// written again. Nobody else looks at the counters in this launch.
template <typename Path>
__device__ void finish_fused(const Path& path, const Fusing& fusing) {
  // Parts without a unit have nothing to send but their signal.
  for (int empty = 0; empty < fusing.parts && thread_in_block() == 0; empty++)
    if (fusing.cuts[empty] == fusing.cuts[empty + 1])
      send_to(true, path, fusing, empty), send_to(false, path, fusing, empty);
  pass_on(path, fusing, true);
  for (int i = (int)thread_in_block(); i < fusing.receive_count * fusing.parts; i += (int)block_threads())
    path.await(part_of(fusing.receives[i / fusing.parts], i % fusing.parts));
  if (thread_in_block() != 0) return;
  end_path(path);
  *fusing.counters = {};
}

// By all threads of the last block of a part. While it is at it, it sends on what has come.
template <typename Path>
__device__ void complete_part(const Fusing& fusing, int part, Targets& targets) {
  __shared__ bool is_last;
  const bool leads = thread_in_block() == 0;
  Path path(fusing.here);
  if (kNear<Path> && fusing.tiles.count == 0) {
    if (leads) find_targets(path, fusing, part, targets);
    __syncthreads();
    store(targets, runs_of(fusing, part, fusing.sends[0].bytes));
  }
  if (kNear<Path> && leads) send_to(true, path, fusing, part);
  pass_on(path, fusing, false);
  if (leads) is_last = is_last_of(fusing.counters->left, fusing.parts_with_units);
  __syncthreads();
  if (is_last) finish_fused(path, fusing);
}

// Behind the kernel's own work, by all threads of every block. What goes over the network leaves before blocks store for
// near peers: it is longer on its way.
template <typename Path>
__device__ void end_fused(const Fusing& fusing, const uint3& block) {
  __shared__ int part;
  __shared__ bool completes;
  __shared__ Targets targets;
  const bool leads = thread_in_block() == 0, stores = kNear<Path> && fusing.tiles.count > 0;
  __syncthreads();
  if (leads) {
    Path path(fusing.here);
    announce_first(path, fusing);
    part = part_with(fusing, block);
    completes = kFar<Path> && is_last_of(fusing.counters->written[part], blocks_in(fusing, part));
    if (completes) send_to(false, path, fusing, part);
    if (stores) find_targets(path, fusing, part, targets);
  }
  __syncthreads();
  if (stores) store(targets, tile_of(fusing.tiles, block));
  if (kNear<Path> && leads) completes = is_last_of(fusing.counters->stored[part], blocks_in(fusing, part));
  __syncthreads();
  if (completes) complete_part<Path>(fusing, part, targets);
}
