
// In front of the kernel's own work: the block to be. Blocks that have begun wait for no room.
__device__ inline uint3 begin_reducing(const Reducing& all) {
  if (thread_in_block() == 0) BlockCount(all.counters->begun).fetch_add(1, cuda::memory_order_relaxed);
  return block_in_turn(all);
}

// By one thread, before it waits for anything.
template <typename Path>
__device__ void open_first(const Path& path, const Reducing& all) {
  if (BlockCount(all.counters->come).fetch_add(1, cuda::memory_order_relaxed) != 0) return;
  for (int i = 0; i < all.work.peer_count; i++) open_to(path, all, all.work.peers[i]);
}
template <typename Path>
__device__ void offer_part(const Path& path, const Reducing& all, int part) {
  for (int i = 0; i < all.work.peer_count; i++)
    if (is_reducer(all, all.work.peers[i].rank)) offer(path, all, all.work.peers[i], part);
}

__device__ inline bool is_written_here(const Reducing& all, int part) {
  return all.is_written ||
         BlockCount(all.counters->written[part]).load(cuda::memory_order_acquire) == blocks_in(all, part);
}
template <typename Path>
__device__ bool is_here(const Path& path, const Reducing& all, int part) {
  bool here = is_written_here(all, part);
  for (int i = 0; i < all.work.peer_count && here; i++) here = has_come(path, all, all.work.peers[i], part);
  return here;
}

// A block that waits may not keep one from running that has not begun; few are enough for what is left then.
__device__ inline bool may_stay(const Reducing& all) {
  if (all.is_written) return true;
  if (BlockCount(all.counters->begun).load(cuda::memory_order_relaxed) < grid_blocks()) return false;
  return BlockCount(all.counters->stayed).fetch_add(1, cuda::memory_order_relaxed) < all.staying;
}

// By one thread: the next item, part after part; one that has not come only for a block that stays.
constexpr unsigned kNoItem = ~0u;
template <typename Path>
__device__ unsigned take_item(const Path& path, const Reducing& all, bool& stays) {
  BlockCount taken(all.counters->taken);
  unsigned count = all.items * all.parts, next = taken.load(cuda::memory_order_relaxed);
  while (next < count) {
    if (!stays && !is_here(path, all, (int)(next / all.items))) {
      stays = may_stay(all);
      if (!stays) return kNoItem;
    }
    if (taken.compare_exchange_strong(next, next + 1, cuda::memory_order_relaxed)) return next;
  }
  return kNoItem;
}

// By all threads, after which every place is known; whether 16 bytes can be loaded and stored at a time.
template <typename T, typename Path>
__device__ bool find_summands(const Path& path, const Reducing& all, const PartElements& part, int number,
                              char** places) {
  size_t begin = run_of(all, part, all.work.rank).begin;
  uintptr_t bits = (begin | part.rows.width | (part.rows.width == 0 ? 0 : part.rows.pitch)) * sizeof(T);
  auto note = [&](int at, char* place) {
    places[at] = place + part.first * sizeof(T);
    bits |= (uintptr_t)places[at];
  };
  const int results = all.work.ranks;
  for (int i = (int)thread_in_block(); i < all.work.peer_count; i += (int)block_threads()) {
    const Peer& peer = all.work.peers[i];
    note(peer.rank, elements_from(path, all, peer, number));
    if (all.near_results) note(results + peer.rank, results_for(path, all, peer));
  }
  if (thread_in_block() == 0) {
    while (!is_written_here(all, number)) {
    }
    note(all.work.rank, local_pointer(all.here, all.work.input));
    note(results + (all.near_results ? all.work.rank : 0), local_pointer(all.here, all.work.output));
  }
  return __syncthreads_or((bits & 15) != 0) == 0;
}

template <typename T>
__device__ Share share_of_item(const Reducing& all, const PartElements& part, unsigned item) {
  Part run = run_of(all, part, all.work.rank);
  const bool own = all.work.root == kEveryoneSlice;
  const size_t back = own ? run.begin : 0, length = run.end - run.begin;
  const size_t step = ((length + all.items - 1) / all.items + 15) / 16 * 16;
  size_t begin = item * step < length ? item * step : length, end = begin + step < length ? begin + step : length;
  begin += run.begin - back, end += run.begin - back;
  return share_of<T>({begin, end}, own ? place_in_rows(part.rows, run.begin) : 0);
}

template <typename Path, typename T, typename Op>
__device__ void reduce_item(const Path& path, const Reducing& all, unsigned item) {
  __shared__ char* places[2 * kMessages];
  const int number = (int)(item / all.items);
  const PartElements part = elements_of(all, number);
  bool is_aligned = find_summands<T>(path, all, part, number, places);
  add_up<T, Op>({places, all.work.ranks, all.near_results, is_aligned, part.rows},
                share_of_item<T>(all, part, item % all.items), {thread_in_block(), block_threads()});
  __syncthreads();
  if (thread_in_block() != 0 || !is_last_of(all.counters->reduced[number], all.items)) return;
  for (int i = 0; i < all.work.peer_count; i++) give_back(path, all, all.work.peers[i], number);
}

// By the last block of all. What others reduce is here when the kernel ends, and what they loaded may be written again.
template <typename Path>
__device__ void finish_reducing(const Path& path, const Reducing& all) {
  for (int i = 0; i < all.work.peer_count && thread_in_block() == 0; i++) close_to(path, all, all.work.peers[i]);
  for (int i = (int)thread_in_block(); i < all.work.peer_count * all.parts; i += (int)block_threads())
    await_part(path, all, all.work.peers[i / all.parts], i % all.parts);
  if (thread_in_block() != 0) return;
  close_path(path);
  *all.counters = {};
}

template <typename Path, typename T, typename Op>
__device__ void reduce_items(const Path& path, const Reducing& all) {
  __shared__ unsigned item;
  __shared__ bool is_last;
  const bool leads = thread_in_block() == 0;
  bool stays = false;
  for (;;) {
    if (leads) item = take_item(path, all, stays);
    __syncthreads();
    if (item == kNoItem) break;
    reduce_item<Path, T, Op>(path, all, item);
  }
  if (leads) is_last = is_last_of(all.counters->gone, grid_blocks());
  __syncthreads();
  if (is_last) finish_reducing(path, all);
}

// Behind the kernel's own work, by all threads of every block. A call, so that the registers of the work stay its own.
template <typename Path, typename T, typename Op>
__device__ __noinline__ void end_reducing(const Reducing& all, const uint3& block) {
  Path path(all.here);
  __syncthreads();
  if (thread_in_block() == 0) {
    open_first(path, all);
    int part = part_with(all, block);
    if (is_last_of(all.counters->written[part], blocks_in(all, part))) offer_part(path, all, part);
  }
  reduce_items<Path, T, Op>(path, all);
}

// For what launches before have written, by a kernel of its own.
template <typename Path, typename T, typename Op>
__device__ void reduce_written(const Reducing& all) {
  Path path(all.here);
  if (blockIdx.x == 0 && thread_in_block() == 0) {
    open_first(path, all);
    for (int part = 0; part < all.parts; part++) offer_part(path, all, part);
  }
  reduce_items<Path, T, Op>(path, all);
}
