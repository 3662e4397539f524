
// By one thread of a block, before anything else: the first block to begin tells the peers where their messages go.
// Which one that is depends on nothing, so no block can wait for one that finds no room.
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
// By one thread: a part to the peers that are not near, all of it before another block posts its own. Parts that are
// done together would else arrive together, and none could be sent on meanwhile.
template <typename Path>
__device__ void post_part(const Path& path, const Fusing& fusing, int part) {
  BlockCount posting(fusing.counters->posting);
  while (posting.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  send_to(false, path, fusing, part);
  posting.store(0, cuda::memory_order_release);
}
template <typename Path>
__device__ void find_targets(const Path& path, const Fusing& fusing, int part, Targets& targets) {
  targets.count = 0;
  for (int i = 0; i < fusing.send_count; i++)
    if (is_near(path, fusing.sends[i])) add_target(path, fusing.sends[i], part, targets);
  if (fusing.own.bytes == 0) return;
  targets.to[targets.count] = fusing.own.to;
  targets.from[targets.count++] = fusing.own.from;
}

// By the block that completed the last part. What peers sent is here when the kernel ends, and what this rank sent may be
// written again. Where no block stays to send on, nobody else looks at the counters in this launch.
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
  if (fusing.relay_count == 0) *fusing.counters = {};
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

// By all threads of every block, at its end. Once all blocks have begun, waiting keeps none from running: some stay to
// send on what is still to come, each a share of it. The last to leave clears the counters.
template <typename Path>
__device__ void stay_for_relays(const Fusing& fusing) {
  __shared__ bool stays;
  const bool leads = thread_in_block() == 0;
  __syncthreads();
  if (leads)
    stays = BlockCount(fusing.counters->come).load(cuda::memory_order_relaxed) == grid_blocks() &&
            BlockCount(fusing.counters->staying).fetch_add(1, cuda::memory_order_relaxed) < kStaying;
  __syncthreads();
  if (stays) pass_on(Path(fusing.here), fusing, true);
  __syncthreads();
  if (leads && is_last_of(fusing.counters->ended, grid_blocks())) *fusing.counters = {};
}

// In front of the kernel's own work, by all threads of every block: the block to be.
template <typename Path>
__device__ uint3 begin_fused(const Fusing& fusing) {
  if (thread_in_block() == 0) announce_first(Path(fusing.here), fusing);
  return block_in_turn(fusing);
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
    part = part_with(fusing, block);
    completes = kFar<Path> && is_last_of(fusing.counters->written[part], blocks_in(fusing, part));
    if (completes) post_part(path, fusing, part);
    if (stores) find_targets(path, fusing, part, targets);
  }
  __syncthreads();
  if (stores) store(targets, tile_of(fusing.tiles, block));
  if (kNear<Path> && leads) completes = is_last_of(fusing.counters->stored[part], blocks_in(fusing, part));
  __syncthreads();
  if (completes) complete_part<Path>(fusing, part, targets);
  if (fusing.relay_count > 0) stay_for_relays<Path>(fusing);
}
