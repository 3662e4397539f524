
// Reductions through a staging window: peers put their elements there, and results are sent back.

// `kWidth` neighbouring elements, those of all ranks in the order of ranks.
template <typename T, typename Op, int kWidth>
__device__ void reduce_at(const Reduction& work, const T* own, const T* staged, size_t stride, T* result) {
  typename Accumulator<T>::type sum[kWidth];
  for (int rank = 0; rank < work.ranks; rank++)
    add_pack<Op>(sum, *(const Pack<T, kWidth>*)(rank == work.rank ? own : staged + rank * stride), rank == 0);
  *(Pack<T, kWidth>*)result = finished<Op, T>(sum, work.ranks);
}

// This block's share of this rank's slice.
template <typename T, typename Op>
__device__ void reduce_slice(const Endpoint& here, const Reduction& work) {
  constexpr int kWidth = 16 / sizeof(T);
  Part slice = slice_of(work, work.rank);
  Part part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  const T* own = (const T*)local_pointer(here, work.input) + slice.begin;
  const T* staged = (const T*)local_pointer(here, work.staging);
  T* result = (T*)local_pointer(here, work.output) + (work.root == kEveryoneSlice ? 0 : slice.begin);
  size_t stride = work.root >= 0 ? work.count : work.slice;
  bool aligned = (((uintptr_t)own | (uintptr_t)staged | (uintptr_t)result | stride * sizeof(T)) & 15) == 0;
  size_t begin = part.begin / sizeof(T), end = part.end / sizeof(T);
  size_t wide_end = aligned ? begin + (end - begin) / kWidth * kWidth : begin;
  for (size_t i = begin + threadIdx.x * kWidth; i < wide_end; i += blockDim.x * kWidth)
    reduce_at<T, Op, kWidth>(work, own + i, staged + i, stride, result + i);
  for (size_t i = wide_end + threadIdx.x; i < end; i += blockDim.x)
    reduce_at<T, Op, 1>(work, own + i, staged + i, stride, result + i);
  __syncthreads();
}

template <typename Path, typename T>
__device__ void announce_places(const Path& path, const Reduction& work, Part mine, bool reduces) {
  size_t stride = work.root >= 0 ? work.count : work.slice;
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x) {
    const Peer& peer = work.peers[i];
    Part staged = {stride * peer.rank, stride * peer.rank + (mine.end - mine.begin)};
    if (reduces) path.announce(message_of(work.staging, staged, sizeof(T), peer.rank, peer.received));
    if (work.root == kEveryoneAll)
      path.announce(message_of(work.output, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.received + 1));
  }
}

// Up to where this rank's own part is done.
template <typename Path, typename T, typename Op>
__device__ void begin_reduction(const Path& path, const Endpoint& here, const Reduction& work) {
  Part mine = slice_of(work, work.rank);
  bool reduces = mine.begin < mine.end || work.root < 0;
  if (blockIdx.x == 0) announce_places<Path, T>(path, work, mine, reduces);
  for (int i = 0; i < work.peer_count; i++) {
    const Peer& peer = work.peers[i];
    if (work.root < 0 || peer.rank == work.root)
      path.send(message_of(work.input, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.sent));
  }
  if (reduces) {
    for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x)
      path.await(message_of(work.staging, mine, sizeof(T), work.peers[i].rank, work.peers[i].received));
    __syncthreads();
    reduce_slice<T, Op>(here, work);
  }
  for (int i = 0; i < work.peer_count && work.root == kEveryoneAll; i++)
    path.send(message_of(work.output, mine, sizeof(T), work.peers[i].rank, work.peers[i].sent + 1));
}

template <typename Path, typename T, typename Op>
__device__ void reduce(const Endpoint& here, const Reduction& work) {
  Path path(here);
  if (work.phases & kAnnounces) begin_reduction<Path, T, Op>(path, here, work);
  bool awaits = (work.phases & kAwaits) && work.root == kEveryoneAll && blockIdx.x == 0;
  for (int i = threadIdx.x; i < work.peer_count && awaits; i += blockDim.x)
    path.await(message_of(work.output, {0, 0}, sizeof(T), work.peers[i].rank, work.peers[i].received + 1));
  if (work.phases & kFlushes) path.finish();
}
