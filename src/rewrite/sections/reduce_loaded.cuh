
// Reductions by load and store. A rank announces where its elements are, and each peer loads those of its slice, adds
// them up, and stores the result where it is wanted; what it delivers says that it is done with this rank's memory.
extern __shared__ char* reduction_places[];  // Of every rank's elements, then of every rank's result.

// As many of them in registers where their number is known, else as they are.
template <typename T, int kCount>
struct Places {
  T* at[kCount];
  __device__ Places(char* const* places, size_t first, int) {
    for (int i = 0; i < kCount; i++) at[i] = (T*)places[i] + first;
  }
  __device__ T* operator[](int i) const { return at[i]; }
  __device__ static constexpr int count() { return kCount; }
};
template <typename T>
struct Places<T, 0> {
  char* const* places;
  size_t first;
  int ranks;
  __device__ Places(char* const* of, size_t from, int number) : places(of), first(from), ranks(number) {}
  __device__ T* operator[](int i) const { return (T*)places[i] + first; }
  __device__ int count() const { return ranks; }
};

// Where an element lies behind the first one.
__device__ inline size_t place_in_rows(const Reduction& work, size_t i) {
  return work.width == 0 ? i : (uint32_t)i / work.width * (size_t)work.pitch + (uint32_t)i % work.width;
}

// Goes through elements at equal distances without a division for each.
struct RowWalk {
  size_t at, step, gap;
  uint32_t column, column_step, width;

  __device__ RowWalk(const Reduction& work, size_t first, uint32_t distance)
      : at(first), step(distance), gap(0), column(0), column_step(0), width(1) {
    if (work.width == 0) return;
    at = place_in_rows(work, first), step = place_in_rows(work, distance), gap = work.pitch - work.width;
    width = work.width, column = (uint32_t)first % width, column_step = distance % width;
  }
  __device__ void next() {
    at += step, column += column_step;
    if (column < width) return;
    column -= width, at += gap;
  }
};

template <typename Op, int kWidth, typename T, int kRanks, int kResults>
__device__ void load_and_reduce(const Reduction& work, const Places<T, kRanks>& from, const Places<T, kResults>& to,
                                Part elements) {
  using Wide = Pack<T, kWidth>;
  size_t i = elements.begin + threadIdx.x * kWidth;
  if (i >= elements.end) return;
  for (RowWalk walk(work, i, blockDim.x * kWidth); i < elements.end; i += blockDim.x * kWidth, walk.next()) {
    typename Accumulator<T>::type sum[kWidth];
#pragma unroll
    for (int rank = 0; rank < from.count(); rank++) add_pack<Op>(sum, *(const Wide*)(from[rank] + walk.at), rank == 0);
    Wide whole = finished<Op, T>(sum, work.ranks);
#pragma unroll
    for (int rank = 0; rank < to.count(); rank++) *(Wide*)(to[rank] + walk.at) = whole;
  }
}

// The running block's share of what this rank reduces: whole packs, then what is left.
struct Share {
  Part wide, rest;
  size_t skipped;  // Elements before those of this rank, where it keeps its own: they begin with a row.
};
template <typename T>
__device__ Share share_of_block(const Reduction& work, Part slice) {
  constexpr int kWidth = 16 / sizeof(T);
  bool own = work.root == kEveryoneSlice;
  size_t first = own ? 0 : slice.begin;
  Part part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  Part all = {first + part.begin / sizeof(T), first + part.end / sizeof(T)};
  size_t wide_end = all.begin + (all.end - all.begin) / kWidth * kWidth;
  return {{all.begin, wide_end}, {wide_end, all.end}, own ? place_in_rows(work, slice.begin) : 0};
}

template <typename T, typename Op, int kRanks>
__device__ void reduce_share(const Reduction& work, const Share& share, bool is_aligned) {
  constexpr int kWidth = 16 / sizeof(T);
  Places<T, kRanks> from(reduction_places, share.skipped, work.ranks);
  auto to_all = [&](const auto& to) {
    if (is_aligned) load_and_reduce<Op, kWidth>(work, from, to, share.wide);
    load_and_reduce<Op, 1>(work, from, to, {is_aligned ? share.rest.begin : share.wide.begin, share.rest.end});
  };
  if (work.root == kEveryoneAll)
    to_all(Places<T, kRanks>(reduction_places + work.ranks, 0, work.ranks));
  else
    to_all(Places<T, 1>(reduction_places + work.ranks, 0, 1));
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
  switch (work.ranks) {
    case 2:
      reduce_share<T, Op, 2>(work, share, is_aligned);
      break;
    case 4:
      reduce_share<T, Op, 4>(work, share, is_aligned);
      break;
    case 8:
      reduce_share<T, Op, 8>(work, share, is_aligned);
      break;
    default:
      reduce_share<T, Op, 0>(work, share, is_aligned);
  }
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
