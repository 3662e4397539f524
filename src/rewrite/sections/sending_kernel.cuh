
// In front of the kernel's own work, by all threads of a block: the first block to begin tells the peers where their
// messages go. Which one that is depends on nothing, so no block can wait for one that finds no room.
template <typename Path>
__device__ void begin_sending(const Sending& sending) {
  if ((sending.phases & kAnnounces) == 0) return;
  __shared__ bool is_first;
  if (thread_in_block() == 0)
    is_first = BlockCount(sending.counters->come).fetch_add(1, cuda::memory_order_relaxed) == 0;
  __syncthreads();
  Path path(sending.here);
  for (int i = (int)thread_in_block(); is_first && i < sending.receive_count; i += (int)block_threads())
    path.announce(sending.receives[i]);
}

__device__ inline bool writes(const SentTiles& tiles, const uint3& block, const FedPart& part) {
  const char* begin = tiles.of(block.x, block.y, block.z);
  return begin < part.begin + part.message.bytes && part.begin < begin + tiles.length();
}

// By the block that ends last. What this rank sent may be written again, and nobody else looks at the counters in this
// launch.
template <typename Path>
__device__ void finish_sending(const Path& path, const Sending& sending) {
  const int thread = (int)thread_in_block(), threads = (int)block_threads();
  for (int i = thread; (sending.phases & kAwaits) && i < sending.receive_count; i += threads)
    path.await(sending.receives[i]);
  for (int i = thread; i < sending.fed_count; i += threads) sending.counters->done[i] = 0;
  if (thread != 0) return;
  flush_sent(path);
  sending.counters->come = sending.counters->gone = 0;
}

// Behind the kernel's own work, by all threads of every block.
template <typename Path>
__device__ void end_sending(const Sending& sending, const uint3& block) {
  __shared__ bool is_last;
  Path path(sending.here);
  __syncthreads();
  for (int i = 0; i < sending.fed_count; i++) {
    const FedPart& part = sending.fed[i];
    const SentTiles& tiles = sending.tiles[part.tiles];
    if (!writes(tiles, block, part)) continue;
    if (part.stored) store_own(path, part, tiles, block);
    if (thread_in_block() == 0) is_last = is_last_of(sending.counters->done[i], part.blocks);
    __syncthreads();
    if (is_last) send_fed(path, part);
    __syncthreads();
  }
  if (thread_in_block() == 0) is_last = is_last_of(sending.counters->gone, grid_blocks());
  __syncthreads();
  if (is_last) finish_sending(path, sending);
}
