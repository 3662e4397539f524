
// Reductions by load and store. A rank announces where its elements are, and each peer loads those of its slice, adds
// them up, and stores the result where it is wanted; what it delivers says that it is done with this rank's memory.
extern __shared__ char* reduction_places[];  // Of every rank's elements, then of every rank's result.

// The running block's share of what this rank reduces.
template <typename T>
__device__ Share share_of_block(const Reduction& work, Part slice) {
  bool own = work.root == kEveryoneSlice;
  size_t first = own ? 0 : slice.begin;
  Part part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  return share_of<T>({first + part.begin / sizeof(T), first + part.end / sizeof(T)},
                     own ? place_in_rows({work.width, work.pitch}, slice.begin) : 0);
}

// Whether it is so for any thread of the block, all of which have done what comes before. A block of one warp, as small
// parts have, needs no barrier for that.
__device__ inline bool is_any(bool is_so) {
  if (blockDim.x > 32) return __syncthreads_or(is_so) != 0;
  bool found = __any_sync(~0u, is_so) != 0;
  __syncwarp();
  return found;
}

// By all threads, after which every place and the block's share are known; whether all of them can be loaded and stored
// 16 bytes at a time.
template <typename T>
__device__ bool find_places(const Lsa& path, const Reduction& work, Part slice, Share& share) {
  uintptr_t bits = (slice.begin | work.width | work.pitch) * sizeof(T);
  auto note = [&](int at, char* place) {
    reduction_places[at] = place;
    bits |= (uintptr_t)place;
  };
  bool for_all = work.root == kEveryoneAll;
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x) {
    const Peer& peer = work.peers[i];
    Message loaded = message_of(0, {0, 0}, 1, peer.rank, peer.sent), stored = loaded;
    stored.number++;
    note(peer.rank, peer_pointer(path.here, path.await_announcement(loaded), peer.rank));
    if (for_all) note(work.ranks + peer.rank, peer_pointer(path.here, path.await_announcement(stored), peer.rank));
  }
  if (threadIdx.x == 0) {
    share = share_of_block<T>(work, slice);
    note(work.rank, local_pointer(path.here, work.input));
    note(work.ranks + (for_all ? work.rank : 0), local_pointer(path.here, work.output));
  }
  return !is_any((bits & 15) != 0);
}

template <typename T, typename Op>
__device__ void load_from_all(const Lsa& path, const Reduction& work) {
  __shared__ Share share;
  bool is_aligned = find_places<T>(path, work, slice_of(work, work.rank), share);
  Summands summands = {
      reduction_places, work.ranks, work.root == kEveryoneAll, is_aligned, {work.width, work.pitch}};
  add_up<T, Op>(summands, share, {threadIdx.x, blockDim.x});
  is_any(false);
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x)
    for (uint32_t number = 0; number < messages_of(work); number++)
      path.deliver(message_of(0, {0, 0}, 1, work.peers[i].rank, work.peers[i].sent + number));
}

template <typename T, typename Op>
__device__ void reduce_by_loads(const Endpoint& here, const Reduction& work) {
  Lsa path(here);
  bool announces = work.phases & kAnnounces;
  int told_count = blockIdx.x == 0 ? work.peer_count : 0;
  auto each_told = [&](auto act) {
    for (int i = threadIdx.x; i < told_count; i += blockDim.x)
      if (work.root < 0 || work.peers[i].rank == work.root) act(work.peers[i]);
  };
  if (announces)
    each_told([&](const Peer& peer) {
      path.announce(message_of(work.input, {0, 0}, 1, peer.rank, peer.received));
      if (work.root == kEveryoneAll) path.announce(message_of(work.output, {0, 0}, 1, peer.rank, peer.received + 1));
    });
  if (announces && (work.root < 0 || work.rank == work.root)) load_from_all<T, Op>(path, work);
  if (work.phases & kAwaits)
    each_told([&](const Peer& peer) {
      for (uint32_t number = 0; number < messages_of(work); number++)
        path.await(message_of(0, {0, 0}, 1, peer.rank, peer.received + number));
    });
}
